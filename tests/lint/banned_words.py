#!/usr/bin/env python3
"""Time, chance and threads are handed in: only apps and engine adapters touch the real ones.

Comments and literals are not looked at. Tests are no exception: they have virtual time.
"""

import pathlib
import re
import sys
from typing import Iterator

from lint import Finding, Planted, code_only, files, main, read

# The one list of places where these words may stand.
ALLOWED = (
    "apps/",  # Programs: the real runtime is made here.
    "backends/sqlite/",  # Adapters of engines with threads and clocks of their own.
    "backends/nats/",
    "backends/remote/",
    "tests/faults/",  # Real time, real signals.
    "bench/",
)

_TIME = "use runtime.time (a clock), or take `now` as a parameter; in tests: the fixture's now()"
_SLEEP = "let an alarm wake the actor (runtime/timer_queue.hpp); in tests: advance() of the fixture"
_CHANCE = "use runtime.random (a random_source); in tests: seeded_random of the fixture"
_THREAD = "let an actor do it; what must block belongs into apps or an engine adapter"

_FREE = r"(?<![\w.>])"  # Not a member, nor part of a longer word.
BANNED = [
    (r"\b\w*clock\s*::\s*now\b", "a real clock", _TIME),
    (r"\b(?:steady_clock|high_resolution_clock)\b", "a real clock", _TIME),
    (r"\bclock\(\)\s*(?:\.|->)\s*now\s*\(", "CAF's clock", _TIME),
    (r"\b(?:clock_gettime|gettimeofday|timespec_get|ftime)\b", "a real clock", _TIME),
    (_FREE + r"time\s*\(\s*(?:nullptr|NULL|0|&)", "a real clock", _TIME),
    (r"\b(?:sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep)\b", "a sleep", _SLEEP),
    (_FREE + r"sleep\s*\(", "a sleep", _SLEEP),
    (r"\b(?:random_device|getrandom|getentropy|arc4random\w*|srand)\b", "real chance", _CHANCE),
    (_FREE + r"rand\s*\(\s*\)", "real chance", _CHANCE),
    (r"\bstd\s*::\s*(?:thread\b(?!\s*::\s*(?:id|hardware_concurrency))|jthread|async)\b", "a thread", _THREAD),
    (r"\bpthread_create\b", "a thread", _THREAD),
    (r"(?:#[ \t]*include[ \t]*<(?:thread|future)>)", "a thread", _THREAD),
    (r"\bcaf\s*::\s*detached\b", "an actor with a thread of its own", _THREAD),
]
_BANNED = [(re.compile(pattern), what, instead) for pattern, what, instead in BANNED]


def check(root: pathlib.Path) -> Iterator[Finding]:
    for path in files(root):
        if path.startswith(ALLOWED):
            continue
        for number, line in enumerate(code_only(read(root, path)).split("\n"), 1):
            for pattern, what, instead in _BANNED:
                if match := pattern.search(line):
                    yield Finding(path, number, f"`{match[0].strip()}` is {what}: {instead}")
                    break


def _bad(line: str, path: str = "actors/x.cpp") -> Planted:
    return Planted({path: f"\n{line}\n"}, (f"{path}:2: `",))


def _good(line: str, path: str = "actors/x.cpp") -> Planted:
    return Planted({path: f"\n{line}\n"}, ())


PLANTED = [
    _bad("auto t = std::chrono::system_clock::now();"),
    _bad("auto t = std::chrono::steady_clock::now();", "messages/x.hpp"),
    _bad("using clk = std::chrono::steady_clock;", "backends/memory/x.cpp"),
    _bad("auto t = clk_clock::now ();", "tests/actors/x.cpp"),
    _bad("auto t = self->clock().now();"),
    _bad("clock_gettime(CLOCK_BOOTTIME, &t);"),
    _bad("gettimeofday(&t, nullptr);"),
    _bad("auto t = time(nullptr);"),
    _bad("auto t = std::time(0);"),
    _bad("std::this_thread::sleep_for(1s);", "tests/site/x.cpp"),
    _bad("std::this_thread::sleep_until(t);"),
    _bad("sleep(1);"),
    _bad("::usleep(1);"),
    _bad("nanosleep(&t, nullptr);"),
    _bad("std::random_device device;"),
    _bad("int x = rand();"),
    _bad("int x = std::rand();"),
    _bad("getrandom(p, 8, 0);", "tests/runtime/x.cpp"),
    _bad("std::thread t{f};"),
    _bad("std::jthread t{f};"),
    _bad("auto f = std::async(g);"),
    _bad("pthread_create(&t, nullptr, f, p);"),
    _bad("sys.spawn<caf::detached>(f);"),
    _bad("#include <thread>"),
    _bad('auto s = "quoted"; sleep(1); // "'),
    _bad("auto n = 1'000; sleep(1); auto c = 'x';"),
    _good("// std::chrono::steady_clock::now() is not for us."),
    _good("/* sleep(1);\n rand() */"),
    _good('auto text = "sleep(1); \\" rand()";'),
    _good('auto text = R"x(" sleep(1); )x";'),
    _good("auto t = rt.time.now();"),
    _good("auto x = random();"),
    _good("world.sleep(1); actor->time(0);"),
    _good("auto count = operand(); auto n = brand();"),
    _good("std::thread::id id; auto n = std::thread::hardware_concurrency();"),
    _good("auto t = runtime(nullptr);"),
    _good("clock_gettime(CLOCK_BOOTTIME, &t);", "apps/runtime/x.cpp"),
    _good("std::this_thread::sleep_for(1s);", "tests/faults/x.cpp"),
    _good("std::thread t{f};", "backends/sqlite/x.cpp"),
]

if __name__ == "__main__":
    sys.exit(main(check, PLANTED))
