#!/usr/bin/env python3
"""Every test that docs/guarantees.md names exists.

A promise is only as good as the test behind it, and tests are renamed. Each `suite/case` of the
document must be a case of the tests; those of the conformance suite are declared by CONFORMANCE.
"""

import pathlib
import re
import sys
from typing import Iterator

from lint import Finding, Planted, files, main, read

DOCUMENT = "docs/guarantees.md"
_NAME = re.compile(r"`(?:[a-z]\w*/)+(\w+)`", re.DOTALL)
_CASE = re.compile(r"(?:BOOST_(?:AUTO|FIXTURE)_TEST_CASE\(|CONFORMANCE\(\s*\w+,)\s*(\w+)")


def cases(root: pathlib.Path) -> set[str]:
    found = set()
    for path in files(root):
        if path.startswith("tests/"):
            found.update(_CASE.findall(read(root, path)))
    return found


def check(root: pathlib.Path) -> Iterator[Finding]:
    text = read(root, DOCUMENT)
    known = cases(root)
    names = [x for x in _NAME.finditer(text) if "_" in x[1] and x[1] != "test_NAME"]
    if not names:
        yield Finding(DOCUMENT, 1, "no `suite/case` found: name the tests that show the promises")
    for name in names:
        if name[1] not in known:
            line = text.count("\n", 0, name.start()) + 1
            yield Finding(DOCUMENT, line, f"no test `{name[1]}`: name one that exists")


_TEST = "tests/x.test.cpp"
_LOST = f"{DOCUMENT}:1: no test `it_is_lost`"

PLANTED = [
    Planted({DOCUMENT: "`x_test/it_is_lost`", _TEST: "BOOST_AUTO_TEST_CASE(it_is_lost) {}"}, ()),
    Planted({DOCUMENT: "`a/kv/it_is_lost`", _TEST: "CONFORMANCE(kv,\n  it_is_lost) {}"}, ()),
    Planted({DOCUMENT: "`a/kv/it_is_lost`", _TEST: "CONFORMANCE(it_is_lost, x) {}"}, (_LOST,)),
    Planted({DOCUMENT: "`x_test/it_is_lost`", _TEST: "BOOST_AUTO_TEST_CASE(it_is_not) {}"}, (_LOST,)),
    Planted({DOCUMENT: "`x_test/it_is_lost`", "messages/x.cpp": "// it_is_lost"}, (_LOST,)),
    Planted({DOCUMENT: "nothing"}, (f"{DOCUMENT}:1: no `suite/case`",)),
]

if __name__ == "__main__":
    sys.exit(main(check, PLANTED))
