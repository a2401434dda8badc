#!/usr/bin/env python3
"""Files are plain: no path of one machine, no host of a registry, no tabs or stray blanks."""

import os
import pathlib
import re
import subprocess
import sys
from typing import Iterator

from lint import Finding, Planted, main

NOT_OURS = {".git", "build", ".deps", "__pycache__"}
NOT_CHECKED = ("tests/data/",)  # Vectors are kept byte for byte.
BINARY = {".png", ".ico", ".woff2", ".gz"}
TABS_ALLOWED = {"Makefile", ".gitmodules"}
MAY_CONTROL = {"LICENSE"}  # The licence's own text.

# Character classes keep these expressions from finding themselves.
_LINE_RULES = [
    (re.compile(r"(?<![\w.~-])/(?:wor[k]|roo[t]|hom[e]/\w+)/"), "a path of one machine: derive it, or use a relative one"),
    (re.compile(r"\.(?:debia[n]|ubunt[u])\.(?:org|com|net)\b"), "a registry's host: use what the machine is set up with"),
    (re.compile(r"\b(?:py[p]i|pythonhoste[d]|npmj[s]|crate[s]|golan[g])\.(?:org|com|io)\b"), "a registry's host: use what the machine is set up with"),
    (re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X])\b"), "unfinished work: do it, or file an issue"),
    (re.compile(r"[ \t]+$"), "blanks at the end of the line: remove them"),
]
_TAB = re.compile(r"\t")


def _paths(root: pathlib.Path) -> Iterator[pathlib.Path]:
    """What git keeps, so that a user's own files beside it are let alone; without git, every file."""
    git = ["git", "-C", str(root), "-c", "safe.directory=*", "ls-files", "-z"]
    listed = subprocess.run(git, capture_output=True, check=False, text=True)
    if listed.returncode == 0:
        yield from (root / x for x in listed.stdout.split("\0") if x and (root / x).exists())
        return
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - NOT_OURS)
        for name in sorted(names):
            yield pathlib.Path(folder, name)


def check(root: pathlib.Path) -> Iterator[Finding]:
    for full in _paths(root):
        path = full.relative_to(root).as_posix()
        if full.is_symlink() or path.startswith(NOT_CHECKED) or full.suffix in BINARY:
            continue
        raw = full.read_bytes()
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            yield Finding(path, raw.count(b"\n", 0, error.start) + 1, "not UTF-8: save it as that")
            continue
        for number, line in enumerate(text.split("\n"), 1):
            for rule, mistake in _LINE_RULES:
                if match := rule.search(line):
                    yield Finding(path, number, f"`{match[0].strip()}` is {mistake}")
            if _TAB.search(line) and full.name not in TABS_ALLOWED:
                yield Finding(path, number, "a tab: use spaces, or \\t in a literal")
            if "\r" in line:
                yield Finding(path, number, "a carriage return: end lines with a line feed alone")
        if raw and not raw.endswith(b"\n"):
            yield Finding(path, text.count("\n") + 1, "no line feed at the end of the file: add one")
        if raw.endswith(b"\n\n"):
            yield Finding(path, text.count("\n"), "an empty line at the end of the file: remove it")
        if raw.startswith(b"#!") != os.access(full, os.X_OK):
            yield Finding(path, 1, "a first line with #! and the right to execute belong together")


def _text(line: str, *findings: str) -> Planted:
    return Planted({"docs/x.md": f"first\n{line}\n"}, findings)


PLANTED = [
    _text("plain text, homework/x, /proc/stat, ~/root/x, framework/y"),
    _text("see /ho" + "me/anna/x", "docs/x.md:2: `"),
    _text("cd /wo" + "rk/main", "docs/x.md:2: `"),
    _text('"/ro' + 'ot/.cache"', "docs/x.md:2: `"),
    _text("http://ftp.debi" + "an.org/debian", "docs/x.md:2: `"),
    _text("pyp" + "i.org", "docs/x.md:2: `"),
    _text("// TO" + "DO: later", "docs/x.md:2: `"),
    _text("blank ", "docs/x.md:2: `"),
    _text("a\tb", "docs/x.md:2: a tab"),
    _text("a\r", "docs/x.md:2: "),
    _text("", "docs/x.md:2: an empty line"),
    Planted({"x.cmake": "no end"}, ("x.cmake:1: no line feed",)),
    Planted({"scripts/x": "#!/bin/sh\n"}, ("scripts/x:1: a first line",)),
    Planted({"build/x": "a\t", ".git/x": "a\t", "tests/data/x": "a\t"}, ()),
]

if __name__ == "__main__":
    sys.exit(main(check, PLANTED))
