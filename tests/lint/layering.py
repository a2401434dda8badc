#!/usr/bin/env python3
"""Includes run one way: messages <- actors, messages <- backends, all <- apps <- tests."""

import pathlib
import re
import sys
from typing import Iterator

from lint import Finding, Planted, code_only, files, main, read

# A folder's name in an include, its place in the tree, and what it may include besides itself. The
# folder of a file is the longest place that its path begins with.
LIBRARY = ("messages", "actors", "backends")
APPS = LIBRARY + ("runtime", "site", "sim", "kinds", "runner")
LAYERS = {
    "messages": ("messages", ()),
    "actors": ("actors", ("messages",)),
    "backends": ("backends", ("messages",)),
    "runtime": ("apps/runtime", LIBRARY),
    "site": ("apps/site", LIBRARY),
    "sim": ("apps/sim", LIBRARY),
    "kinds": ("apps/kinds", LIBRARY + ("runtime", "site")),
    "runner": ("apps/runner", LIBRARY + ("runtime", "site", "kinds")),
    "tool": ("apps/trunnion", APPS),
    "apps": ("apps", APPS + ("tool",)),
    "bench": ("bench", APPS + ("tests",)),
    "tests": ("tests", APPS + ("tool",)),
}

# Headers that cost too much, or would put a library of one folder's own into others' hands.
HEAVY = {
    "caf/all.hpp": "the single CAF headers that are used",
    "boost/test/included/unit_test.hpp": "boost/test/unit_test.hpp, linked dynamically",
}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.MULTILINE)


def layer_of(path: str) -> str | None:
    places = [(len(place), name) for name, (place, _) in LAYERS.items() if path.startswith(place + "/")]
    return max(places)[1] if places else None


def _mistake(root: pathlib.Path, layer: str, quote: str, target: str) -> str | None:
    if target in HEAVY:
        return f"include {HEAVY[target]} instead of <{target}>"
    if not target.startswith("trunnion/"):
        is_ours = quote == '"'
        return f'write "trunnion/<folder>/..." instead of "{target}"' if is_ours else None
    if quote == "<":
        return f'write "{target}" in quotes: it is ours'
    _, name, rest = (target.split("/", 2) + [""])[:3]
    if name not in LAYERS:
        return f'there is no folder "trunnion/{name}"; there are {", ".join(sorted(LAYERS))}'
    place, allowed = LAYERS[name][0], LAYERS[layer][1]
    if name != layer and name not in allowed:
        return (
            f'{layer} must not include "{target}"; it may include {", ".join(allowed) or "only itself"}:'
            " move what is shared to messages, or hand it in from apps"
        )
    if not (root / place / rest).is_file():
        return f'"{target}" does not exist: {place}/{rest}'
    return None


def check(root: pathlib.Path) -> Iterator[Finding]:
    for path in files(root):
        layer = layer_of(path)
        if layer is None:
            continue
        code = code_only(read(root, path))
        for match in _INCLUDE.finditer(code):
            mistake = _mistake(root, layer, match[1], match[2])
            if mistake:
                yield Finding(path, code.count("\n", 0, match.start()) + 1, mistake)


EMPTY = {f"{place}/x.hpp": "#pragma once\n" for place, _ in LAYERS.values()}


def _planted(path: str, include: str, *findings: str) -> Planted:
    return Planted(EMPTY | {path: f"// first line\n#include {include}\n"}, findings)


PLANTED = [
    _planted("actors/good.hpp", '"trunnion/messages/x.hpp"'),
    _planted("tests/actors/good.cpp", '"trunnion/tool/x.hpp"'),
    _planted("apps/kinds/good.cpp", '"trunnion/site/x.hpp"'),
    _planted("messages/good.cpp", "<vector>"),
    _planted("messages/good.cpp", '<x> // #include "trunnion/actors/x.hpp"'),
    _planted("messages/bad.hpp", '"trunnion/actors/x.hpp"', "messages/bad.hpp:2: messages must not"),
    _planted("messages/runtime/bad.hpp", '"trunnion/runtime/x.hpp"', "messages/runtime/bad.hpp:2: messages must"),
    _planted("actors/bad.cpp", '"trunnion/backends/x.hpp"', "actors/bad.cpp:2: actors must not"),
    _planted("backends/memory/bad.cpp", '"trunnion/actors/x.hpp"', "backends/memory/bad.cpp:2: backends must"),
    _planted("actors/bad.cpp", '"trunnion/runtime/x.hpp"', "actors/bad.cpp:2: actors must not"),
    _planted("apps/site/bad.cpp", '"trunnion/kinds/x.hpp"', "apps/site/bad.cpp:2: site must not"),
    _planted("apps/kinds/bad.cpp", '"trunnion/runner/x.hpp"', "apps/kinds/bad.cpp:2: kinds must not"),
    _planted("apps/runtime/bad.cpp", '"trunnion/tool/x.hpp"', "apps/runtime/bad.cpp:2: runtime must not"),
    _planted("apps/bad.cpp", '"trunnion/tests/x.hpp"', "apps/bad.cpp:2: apps must not"),
    _planted("actors/bad.cpp", '"x.hpp"', 'actors/bad.cpp:2: write "trunnion/<folder>/'),
    _planted("actors/bad.cpp", '"../messages/x.hpp"', 'actors/bad.cpp:2: write "trunnion/<folder>/'),
    _planted("actors/bad.cpp", "<trunnion/messages/x.hpp>", "actors/bad.cpp:2: write"),
    _planted("actors/bad.cpp", '"trunnion/apps/runtime/x.hpp"', "actors/bad.cpp:2: actors must not"),
    _planted("actors/bad.cpp", '"trunnion/message/x.hpp"', "actors/bad.cpp:2: there is no folder"),
    _planted("actors/bad.cpp", '"trunnion/messages/y.hpp"', "actors/bad.cpp:2: \"trunnion/messages/y.hpp\" does not"),
    _planted("actors/bad.cpp", "<caf/all.hpp>", "actors/bad.cpp:2: include the single"),
]

if __name__ == "__main__":
    sys.exit(main(check, PLANTED))
