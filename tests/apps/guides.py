#!/usr/bin/env python3
"""Does what docs/guides says, with the tool.

    guides.py TRUNNION GUIDES

The sensor is written to a file and run by its site, as a newcomer would. The C++ examples are built
and run by tests of their own; here is checked that they are as short as promised.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TRUNNION, GUIDES = sys.argv[1], pathlib.Path(sys.argv[2])


def block(guide, language):
    """The first block of this language in a guide."""
    text = (GUIDES / guide).read_text(encoding="utf-8")
    return text.split(f"```{language}\n", 1)[1].split("```", 1)[0]


class Guides(unittest.TestCase):
    def test_a_sensor_is_a_shell_script_of_five_lines_at_most(self):
        script = block("sensors.md", "sh")
        self.assertLessEqual(len(script.splitlines()), 5)
        with tempfile.TemporaryDirectory() as folder:
            sensor = pathlib.Path(folder, "load.sh")
            sensor.write_text(script, encoding="utf-8")
            sensor.chmod(0o755)
            site = pathlib.Path(folder, "ridge.yaml")
            site.write_text(block("sensors.md", "yaml"), encoding="utf-8")
            done = subprocess.run(
                [TRUNNION, "service", "run", str(site), "--for", "3s", "--json"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        told = [json.loads(x) for x in done.stdout.splitlines()]
        values = [x["value"]["load1"] for x in told
                  if x["who"] == "ridge.load" and "load1" in x.get("value", {})]
        self.assertTrue(values, done.stdout + done.stderr[-2000:])
        self.assertTrue(all(0 <= x < 10_000 for x in values), values)

    def test_a_service_is_a_program_of_forty_lines_at_most(self):
        self.assertLessEqual(len(block("services.md", "cpp").splitlines()), 40)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
