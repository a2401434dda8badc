#!/usr/bin/env python3
"""Every message that may cross actor systems is sent through CAF's serialiser and back by a test.

A type that is listed for the wire, but whose `inspect` forgets a member, loses data between nodes
only. So each type of messages/registration.cpp must be used by a file of tests/messages that speaks
of round trips.
"""

import pathlib
import re
import sys
from typing import Iterator

from lint import Finding, Planted, code_only, files, main, read

LIST = "messages/registration.cpp"
_TYPE = re.compile(r"CAF_ADD_TYPE_ID\(\s*\w+\s*,\s*\(\s*(?:\w+::)*(\w+)\s*\)\s*\)")
_ROUND_TRIP = re.compile(r"round[ _]?trip", re.IGNORECASE)


def check(root: pathlib.Path) -> Iterator[Finding]:
    code = code_only(read(root, LIST))
    tests = [read(root, path) for path in files(root) if path.startswith("tests/messages/")]
    used = "\n".join(code_only(text) for text in tests if _ROUND_TRIP.search(text))
    matches = list(_TYPE.finditer(code))
    if not matches:
        yield Finding(LIST, 1, "no CAF_ADD_TYPE_ID found: teach this check how types are listed now")
    for match in matches:
        if not re.search(rf"\b{match[1]}\s*(?:[{{>(]|\w)", used):
            line = code.count("\n", 0, match.start()) + 1
            yield Finding(LIST, line, f"add `{match[1]}` to the round trips of tests/messages")


_TWO = "\nCAF_ADD_TYPE_ID(x, (x::kv_get))\nCAF_ADD_TYPE_ID(x, (x::kv_put))\n"
_TEST = "tests/messages/wire.test.cpp"

PLANTED = [
    Planted({LIST: _TWO, _TEST: "void round_trip() { check(kv_get{}, kv_put{1}); }"}, ()),
    Planted({LIST: _TWO, _TEST: "// Round trips.\ncheck<kv_get>(); kv_put x;"}, ()),
    Planted({LIST: _TWO, _TEST: "round_trip(kv_get{}); // kv_put{}"}, (f"{LIST}:3: add `kv_put`",)),
    Planted({LIST: _TWO, _TEST: "round_trip(kv_get{}, xkv_put{});"}, (f"{LIST}:3: add `kv_put`",)),
    Planted({LIST: _TWO, _TEST: "check(kv_get{}, kv_put{});"}, (f"{LIST}:2: ", f"{LIST}:3: ")),
    Planted({LIST: _TWO}, (f"{LIST}:2: ", f"{LIST}:3: ")),
    Planted({LIST: "// CAF_ADD_TYPE_ID(x, (x::kv_get))"}, (f"{LIST}:1: no CAF_ADD",)),
]

if __name__ == "__main__":
    sys.exit(main(check, PLANTED))
