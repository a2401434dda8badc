#!/usr/bin/env python3
"""C++ is formatted by clang-format with the tree's .clang-format: `scripts/format` does it."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Iterator

from lint import Finding, Planted, main

TREE = pathlib.Path(__file__).parents[2]
_ERROR = re.compile(r"^(.+?):(\d+):\d+: error: code should be clang-formatted")


def check(root: pathlib.Path) -> Iterator[Finding]:
    if not (root / ".clang-format").exists():
        shutil.copy(TREE / ".clang-format", root)
    run = subprocess.run(
        [TREE / "scripts/format", "--check"],
        env=os.environ | {"TRUNNION_ROOT": str(root)},
        capture_output=True,
        text=True,
    )
    lines = {}
    for line in run.stderr.splitlines():
        if match := _ERROR.match(line):
            lines.setdefault(match[1], int(match[2]))
    for path, line in lines.items():
        yield Finding(path, line, "not formatted: run scripts/format")
    if run.returncode != 0 and not lines:
        yield Finding("scripts/format", 1, f"failed: {run.stderr.strip()[:500]}")


_GOOD = "int x = 1;\n"
_BAD = "int x = 1;\nint   y=2;\n"

PLANTED = [
    Planted({"messages/x.hpp": _GOOD, "tests/x.cpp": _GOOD}, ()),
    Planted({"messages/x.hpp": _BAD, "tests/x.cpp": _GOOD}, ("messages/x.hpp:2: not formatted",)),
    Planted({"apps/a/b/x.cpp": _BAD}, ("apps/a/b/x.cpp:2: not formatted",)),
    Planted({"messages/x.hpp": _GOOD, "tests/data/x.cpp": _BAD}, ()),
]

if __name__ == "__main__":
    sys.exit(main(check, PLANTED))
