#!/usr/bin/env python3
"""scripts/setup installs what is missing, only that, and says what to do where it may not.

Runs the script in a small tree, with stand-ins for dpkg-query, apt-get and id on the path.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).parents[2]

DPKG_QUERY = """#!/usr/bin/env bash
shift 2 # -W and the format.
for package; do
  case " $MISSING " in
    *" $package "*) ;;
    *) printf 'installed:%s ' "$package" ;;
  esac
done
"""
APT_GET = """#!/usr/bin/env bash
echo "$*" >> "$CALLS"
case $1 in
  update) touch "$CALLS.updated" ;;
  install) [ -n "$LISTS" ] || [ -f "$CALLS.updated" ] || { echo 'E: no such package'; exit 100; } ;;
esac
[ -z "$BROKEN" ] || { echo 'E: disk full'; exit 100; }
"""
ID = """#!/usr/bin/env bash
echo "${FAKE_UID:-0}"
"""
BUILD = """#!/usr/bin/env bash
echo "build $*" >> "$CALLS"
echo '[1/2] progress'
echo 'a compiler said this'
exit "${BUILD_STATUS:-0}"
"""


class SetupScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self._put("scripts/setup", (TREE / "scripts/setup").read_text(encoding="utf-8"))
        self._put("scripts/build", BUILD)
        self._put("bin/dpkg-query", DPKG_QUERY)
        self._put("bin/apt-get", APT_GET)
        self._put("bin/id", ID)

    def _put(self, path: str, text: str):
        (self.root / path).parent.mkdir(exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")
        (self.root / path).chmod(0o755)

    def run_setup(self, *arguments: str, **settings: str):
        """The status, what was called, and what was said on standard error."""
        calls = self.root / "calls"
        plain = {"MISSING": "", "LISTS": "", "BROKEN": "", "CALLS": str(calls)}
        path = f"{self.root / 'bin'}:{os.environ['PATH']}"
        run = subprocess.run(
            [self.root / "scripts/setup", *arguments],
            env=os.environ | plain | settings | {"PATH": path},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        self.assertEqual(run.stdout, "")
        return run.returncode, calls.read_text().splitlines() if calls.exists() else [], run.stderr

    def packages(self, call: str) -> list[str]:
        return [word for word in call.split()[1:] if word[0] != "-" and "::" not in word]

    def test_with_everything_there_it_only_builds(self):
        status, calls, _ = self.run_setup()
        self.assertEqual((status, calls), (0, ["build trunnion"]))

    def test_it_builds_the_targets_that_are_named(self):
        _, calls, _ = self.run_setup("all", "x")
        self.assertEqual(calls, ["build all x"])

    def test_it_installs_what_is_missing_and_nothing_else(self):
        status, calls, said = self.run_setup(MISSING="mold libcaf-dev", LISTS="there")
        self.assertEqual((status, len(calls), calls[1]), (0, 2, "build trunnion"))
        self.assertEqual(self.packages(calls[0]), ["mold", "libcaf-dev"])
        self.assertIn("mold libcaf-dev", said)

    def test_without_package_lists_it_fetches_them_and_tries_again(self):
        status, calls, _ = self.run_setup(MISSING="g++")
        self.assertEqual((status, [call.split()[0] for call in calls]), (0, ["install", "update", "install", "build"]))

    def test_it_says_why_nothing_could_be_installed_and_does_not_build(self):
        status, calls, said = self.run_setup(MISSING="g++", BROKEN="yes")
        self.assertEqual(status, 1)
        self.assertFalse([call for call in calls if call.startswith("build")])
        self.assertIn("E: disk full", said)

    def test_without_root_it_says_what_to_do(self):
        status, calls, said = self.run_setup(MISSING="g++ mold", FAKE_UID="1000")
        self.assertEqual((status, calls), (1, []))
        self.assertRegex(said, r"apt-get install .*g\+\+ .*mold|apt-get install .*mold .*g\+\+")

    def test_without_root_it_builds_if_nothing_is_missing(self):
        status, calls, _ = self.run_setup(FAKE_UID="1000")
        self.assertEqual((status, calls), (0, ["build trunnion"]))

    def test_a_build_that_fails_shows_errors_without_progress(self):
        status, _, said = self.run_setup(BUILD_STATUS="2")
        self.assertEqual(status, 1)
        self.assertIn("a compiler said this", said)
        self.assertNotIn("progress", said)


if __name__ == "__main__":
    sys.exit(unittest.main())
