"""What the checks of the sources have in common: files, findings, and proof that a check can fail.

A check is a function from a tree's root to findings. Its program runs it on the project, or with
--self-test on small trees with planted mistakes, so that no check can pass because it sees nothing.
"""

import argparse
import pathlib
import re
import sys
import tempfile
from typing import Callable, Iterable, NamedTuple

SOURCE_FOLDERS = ("messages", "actors", "backends", "apps", "tests", "bench", "cmake")
CPP = (".cpp", ".hpp")


class Finding(NamedTuple):
    """One mistake: where, what, and what to do instead."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


class Planted(NamedTuple):
    """A small tree for a self-test, and what a check must say of it: the start of each finding."""

    files: dict[str, str]
    findings: tuple[str, ...]


Check = Callable[[pathlib.Path], Iterable[Finding]]


def files(root: pathlib.Path, suffixes: tuple[str, ...] = CPP) -> list[str]:
    """Paths below the source folders, relative to `root`, in order. Test data is not source."""
    found = []
    for folder in SOURCE_FOLDERS:
        for path in (root / folder).rglob("*"):
            relative = path.relative_to(root).as_posix()
            if path.suffix in suffixes and path.is_file() and not relative.startswith("tests/data/"):
                found.append(relative)
    return sorted(found)


def read(root: pathlib.Path, path: str) -> str:
    return (root / path).read_text(encoding="utf-8", errors="replace")


_TOKENS = re.compile(
    r"""//[^\n]*|/\*.*?\*/"""
    r"""|(?<![\w])(?:u8|[uUL])?R"([^()\\\s]{0,16})\(.*?\)\1\""""
    r"""|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL,
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"[^"\n]*"', re.MULTILINE)


def code_only(text: str) -> str:
    """C++ without comments and the contents of literals; lines keep their numbers, and includes
    their names."""

    def blank(match: re.Match[str]) -> str:
        if _INCLUDE.match(text, text.rfind("\n", 0, match.start()) + 1) and match[0][0] == '"':
            return match[0]
        kept = re.sub(r"[^\n]", " ", match[0])
        return kept if match[0].startswith("/") else '"' + kept[2:] + '"'

    return _TOKENS.sub(blank, text)


def _self_test(check: Check, planted: Iterable[Planted]) -> int:
    failures = 0
    for number, tree in enumerate(planted, 1):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in tree.files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            said = sorted(map(str, check(root)))
        wanted = sorted(tree.findings)
        if len(said) != len(wanted) or not all(s.startswith(w) for s, w in zip(said, wanted)):
            failures += 1
            print(f"planted tree {number}: wanted", *wanted, "but the check said", *said, sep="\n  ")
    print("the check misses planted mistakes" if failures else "the check sees planted mistakes")
    return 1 if failures else 0


def main(check: Check, planted: Iterable[Planted]) -> int:
    """The program of a check: status 1 if there are findings, or if a self-test fails."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return _self_test(check, planted)
    findings = sorted(set(check(arguments.root)))
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings", file=sys.stderr)
    return 1 if findings else 0
