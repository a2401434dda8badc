#!/usr/bin/env python3
"""Every message that may cross actor systems is sent through CAF's serialiser and back by a test.

A type that is listed for the wire, but whose `inspect` forgets a member, loses data between nodes
only. So each type of messages/registration.cpp must be used in tests/messages/wire*.cpp, whose
samples make the round trip.
"""

import pathlib
import re
import sys
from typing import Iterator

from lint import Finding, Planted, code_only, files, main, read

LIST = "messages/registration.cpp"
_TYPE = re.compile(r"CAF_ADD_TYPE_ID\(\s*\w+\s*,\s*\(\s*(?:\w+::)*(\w+)\s*\)\s*\)")
TESTS = "tests/messages/wire"


def check(root: pathlib.Path) -> Iterator[Finding]:
    code = code_only(read(root, LIST))
    used = "\n".join(code_only(read(root, path)) for path in files(root) if path.startswith(TESTS))
    matches = list(_TYPE.finditer(code))
    if not matches:
        yield Finding(LIST, 1, "no CAF_ADD_TYPE_ID found: teach this check how types are listed now")
    for match in matches:
        if not re.search(rf"\b{match[1]}\s*(?:[{{>(]|\w)", used):
            line = code.count("\n", 0, match.start()) + 1
            yield Finding(LIST, line, f"add a sample of `{match[1]}` to {TESTS}*.cpp")


_TWO = "\nCAF_ADD_TYPE_ID(x, (x::kv_get))\nCAF_ADD_TYPE_ID(x, (x::kv_put))\n"
_TEST = "tests/messages/wire_kv.cpp"
_SECOND = (f"{LIST}:3: add a sample of `kv_put`",)

PLANTED = [
    Planted({LIST: _TWO, _TEST: "sample(kv_get{}), sample(kv_put{1})"}, ()),
    Planted({LIST: _TWO, _TEST: "sample<kv_get>();", "tests/messages/wire.cpp": "kv_put x;"}, ()),
    Planted({LIST: _TWO, _TEST: "sample(kv_get{}) // kv_put{}"}, _SECOND),
    Planted({LIST: _TWO, _TEST: "sample(kv_get{}), sample(x_kv_put{})"}, _SECOND),
    Planted({LIST: _TWO, _TEST: "kv_get{}", "tests/messages/kv.test.cpp": "kv_put{}"}, _SECOND),
    Planted({LIST: _TWO}, (f"{LIST}:2: ", f"{LIST}:3: ")),
    Planted({LIST: "// CAF_ADD_TYPE_ID(x, (x::kv_get))"}, (f"{LIST}:1: no CAF_ADD",)),
]

if __name__ == "__main__":
    sys.exit(main(check, PLANTED))
