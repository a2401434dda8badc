#!/usr/bin/env python3
"""Scripts are clean for shellcheck, where that is installed; status 77 means skipped."""

import pathlib
import re
import shutil
import subprocess
import sys
from typing import Iterator

from lint import Finding, Planted, main

_ERROR = re.compile(r"^(.+?):(\d+):\d+: (.*)$")


def check(root: pathlib.Path) -> Iterator[Finding]:
    scripts = [path for folder in ("scripts", ".ci") for path in sorted((root / folder).glob("*"))]
    shell = [path for path in scripts if path.is_file() and b"sh" in path.read_bytes().split(b"\n", 1)[0]]
    if not shell:
        yield Finding("scripts", 1, "no shell script found: teach this check where they are now")
        return
    run = subprocess.run(["shellcheck", "-f", "gcc", *shell], capture_output=True, text=True)
    for line in run.stdout.splitlines():
        if match := _ERROR.match(line):
            yield Finding(pathlib.Path(match[1]).relative_to(root).as_posix(), int(match[2]), match[3])


PLANTED = [
    Planted({"scripts/x": "#!/usr/bin/env bash\necho \"$1\"\n"}, ()),
    Planted({"scripts/x": "#!/usr/bin/env bash\ncd $1 || exit\n"}, ("scripts/x:2: ",)),
    Planted({".ci/x": "#!/bin/sh\nx=1\n"}, (".ci/x:2: ",)),
    Planted({"scripts/x": "plain"}, ("scripts:1: ",)),
]

if __name__ == "__main__":
    if not shutil.which("shellcheck"):
        print("shellcheck is not installed: not checked")
        sys.exit(77)
    sys.exit(main(check, PLANTED))
