#!/usr/bin/env python3
"""Runs the demo's site with the tool, and reads its story as a person would.

    demo_story.py TRUNNION SITE

Checked from what is printed: real readings of this host, compared with /proc before and after;
leases taken, slews and exposures; the dome that closes when the weather turns, and opens again; a
killed camera service that ends in order with what comes after it in its group, told as lost with
reason and culprit; a killed observer whose standby takes over; and that no key ever has two owners.
"""

import json
import re
import signal
import subprocess
import sys
import unittest

TRUNNION, SITE = sys.argv[1], sys.argv[2]
OBSERVERS = ("ridge.observer", "ridge.observer#1")


def counters():
    """What only grows in /proc while the demo runs: (source, name, counter) to number."""
    result = {}
    with open("/proc/diskstats", encoding="ascii") as lines:
        for words in (line.split() for line in lines):
            result["disk", words[2], "read_bytes"] = int(words[5]) * 512
            result["disk", words[2], "written_bytes"] = int(words[9]) * 512
    with open("/proc/net/dev", encoding="ascii") as lines:
        for line in list(lines)[2:]:
            name, numbers = line.split(":")
            result["net", name.strip(), "received_bytes"] = int(numbers.split()[0])
            result["net", name.strip(), "sent_bytes"] = int(numbers.split()[8])
    return result


def memory_total():
    with open("/proc/meminfo", encoding="ascii") as lines:
        return next(int(x.split()[1]) * 1024 for x in lines if x.startswith("MemTotal:"))


def processors():
    with open("/proc/stat", encoding="ascii") as lines:
        return sum(1 for x in lines if x.startswith("cpu") and x[3].isdigit())


class Line:
    def __init__(self, text):
        self.time, self.who, self.what, self.text, self.data = text.rstrip("\n").split("\t")

    def json(self):
        return json.loads(self.data)


class DemoStory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.before = counters()
        done = subprocess.run(
            [TRUNNION, "service", "run", SITE, "--for", "20s", "--drill", "camera@8s",
             "--drill", "observer@14s"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        cls.after = counters()
        cls.status, cls.errors = done.returncode, done.stderr
        cls.lines = [Line(x) for x in done.stdout.splitlines()]

    def of(self, who, what):
        return [x for x in self.lines if x.who == who and x.what == what]

    def index(self, who, what, after=0):
        for i in range(after, len(self.lines)):
            if self.lines[i].who == who and self.lines[i].what == what:
                return i
        self.fail(f"not in the story after line {after}: {who} {what}\n{self.errors[-2000:]}")

    def test_it_ends_by_itself_with_status_0(self):
        self.assertEqual(self.status, 0, self.errors[-2000:])

    def test_at_least_ten_samples_are_of_this_host(self):
        samples = [x.json() for x in self.of("ridge.host", "telemetry")]
        self.assertGreaterEqual(len(samples), 10)
        compared = 0
        for sample in samples:
            self.assertEqual(sample["memory"]["total_bytes"], memory_total())
            self.assertEqual(sample["cpu"]["count"], processors())
            for (source, name, counter), low in self.before.items():
                if name in sample.get(source, {}):
                    value = sample[source][name][counter]
                    self.assertGreaterEqual(value, low, (source, name, counter))
                    self.assertLessEqual(value, self.after[source, name, counter])
                    compared += 1
        self.assertGreater(compared, 0)

    def test_the_readings_move(self):
        busy = {x.json()["cpu"].get("busy_ratio") for x in self.of("ridge.host", "telemetry")}
        self.assertGreater(len(busy), 1)

    def test_leases_are_taken_and_instruments_work(self):
        for service in ("host", "weather", "mount", "camera", "dome", "observer"):
            self.assertTrue(self.of(f"ridge.{service}.EntityLease", "taken"), service)
        for what, who in (("slew", "mount"), ("exposure", "camera"), ("observed", "observer")):
            self.assertGreaterEqual(len(self.of(f"ridge.{who}", what)), 2, what)

    def test_no_two_owners_ever_hold_one_key(self):
        owners = {}
        for x in self.lines:
            if x.what == "taken":
                self.assertNotIn(x.who, owners, f"{x.who} is taken twice")
                owners[x.who] = x.text
            elif x.what == "gone":
                self.assertIn(x.who, owners)
                del owners[x.who]
        self.assertEqual(owners, {}, "keys that are left at the end")

    def test_instruments_obey_tokens_in_growing_order_only(self):
        newest = {}
        for x in self.lines:
            if x.what in ("slew", "exposure"):
                token = tuple(int(n) for n in x.json()["token"].split(":"))
                self.assertGreaterEqual(token, newest.get(x.who, token))
                newest[x.who] = token
        self.assertEqual(set(newest), {"ridge.mount", "ridge.camera"})

    def test_the_dome_closes_when_the_weather_turns_and_opens_again(self):
        samples = [x.json() for x in self.of("ridge.weather", "weather")]
        self.assertGreaterEqual(len(samples), 10)
        self.assertEqual([x["step"] for x in samples], list(range(1, len(samples) + 1)))
        bad = [x["rain"] or x["wind_mps"] > 12 for x in samples]
        self.assertIn((False, True), list(zip(bad, bad[1:])), "the weather never turns")

        # One service's events come in order; between services only what one has of the other.
        def is_for_the_weather(x):
            return x.who == "ridge.observer" and x.what == "closing" and "says yes" in x.text
        self.assertTrue(any(is_for_the_weather(x) for x in self.lines))
        told = next(i for i, x in enumerate(self.lines) if x.who == "ridge.dome"
                    and x.what == "closing" and x.json().get("why") == "told by its controller")
        opened = self.index("ridge.dome", "open")
        self.assertLess(opened, told)
        closed = self.index("ridge.dome", "closed", told)
        self.index("ridge.dome", "open", closed)

    def test_the_dome_moves_in_order_and_is_closed_at_the_end(self):
        follows = {"opening": ("open", "closing"), "open": ("closing",),
                   "closing": ("closed", "opening"), "closed": ("opening",)}
        phases = [x.what for x in self.lines if x.who == "ridge.dome" and x.what in follows]
        self.assertEqual(phases[0], "opening")
        for before, after in zip(phases, phases[1:]):
            self.assertIn(after, follows[before])
        self.assertEqual(phases[-1], "closed")
        self.assertFalse(self.of("ridge.dome", "left_open"))

    def test_nothing_is_observed_while_the_dome_is_not_open(self):
        # Frames of the observer come after the dome has told it that it is open; that it closes is
        # told by the dome at about the time at which the observer counts a last frame.
        first_open = self.index("ridge.dome", "open")
        self.assertGreater(self.index("ridge.observer", "observed"), first_open)
        self.assertGreater(self.index("ridge.mount", "slew"), first_open)

    def test_the_killed_camera_is_told_as_lost_and_the_observatory_recovers(self):
        # Compared are only events of one service, or of the keys, which one monitor tells in order
        # of their revisions: two services that hear of one loss speak in any order.
        camera = self.index("ridge.camera", "lost")
        self.assertRegex(self.lines[camera].text, r"^ridge\.camera: holder_died, culprit its owner")
        ended = self.index("ridge.camera", "ended", camera)
        self.index("ridge.camera", "running", ended)

        # Either of the two instances may be the first to hold the lease; the other one waits.
        first = next(x.who for x in self.lines if x.who in OBSERVERS and x.what == "running")
        observer = self.index(first, "lost")
        self.assertRegex(self.lines[observer].text, r"^camera: holder_died, culprit camera")
        self.index(first, "ended", observer)

        # What comes after the camera in its group starts again with it; what is before it goes on.
        for service in ("dome", "observer"):
            self.index(f"ridge.{service}.EntityLease", "taken",
                       self.index(f"ridge.{service}.EntityLease", "gone"))
        for service in ("weather", "mount"):
            self.assertEqual(len(self.of(f"ridge.{service}", "running")), 1)
        for key in ("ridge.camera.EntityLease", "ridge.camera.ControlLease",
                    "ridge.mount.ControlLease", "ridge.dome.ControlLease"):
            taken = self.index(key, "taken")
            self.index(key, "taken", self.index(key, "gone", taken))
        again = next(i for i in range(observer, len(self.lines))
                     if self.lines[i].who in OBSERVERS and self.lines[i].what == "running")
        self.index("ridge.camera", "exposure", again)

    def test_the_standby_of_the_killed_observer_takes_over(self):
        lost = next(i for i, x in enumerate(self.lines) if x.who in OBSERVERS and x.what == "lost"
                    and re.match(r"ridge\.observer(#1)?: holder_died, culprit its owner", x.text))
        standby = OBSERVERS[1 - OBSERVERS.index(self.lines[lost].who)]
        running = self.index(standby, "running", lost)
        self.index("ridge.camera", "exposure", self.index("ridge.dome", "open", running))

    def test_times_never_go_back(self):
        times = [x.time for x in self.lines]
        self.assertEqual(times, sorted(times))


class Signals(unittest.TestCase):
    def start(self):
        running = subprocess.Popen(
            [TRUNNION, "service", "run", SITE, "--only", "mount", "--json"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.stdout.close)
        for line in running.stdout:
            if json.loads(line)["event"] == "running":
                return running
        self.fail("the mount never ran: " + running.stderr.read())

    def test_a_signal_ends_it_in_order(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            running = self.start()
            running.send_signal(number)
            story, _ = running.communicate(timeout=60)
            events = [json.loads(x)["event"] for x in story.splitlines()]
            self.assertEqual(running.returncode, 0)
            self.assertIn("gone", events)
            self.assertEqual(events[-1], "stopped")

    def test_a_reader_that_goes_away_costs_nothing(self):
        running = self.start()
        running.stdout.close()
        running.send_signal(signal.SIGTERM)
        running.stdout = None
        running.communicate(timeout=60)
        self.assertEqual(running.returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
