#!/usr/bin/env python3
"""Proof that the build's target `header_check` can fail.

The check itself is done by the build: cmake/HeaderCheck.cmake compiles each header by itself, so
that only what changed is compiled again. Here a small project with that module and a planted mistake
is built.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

MODULES = pathlib.Path(__file__).parents[2] / "cmake"

PROJECT = f"""
cmake_minimum_required(VERSION 3.25)
project(planted LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH "{MODULES}")
include(HeaderCheck)
set(CMAKE_CXX_STANDARD 20)
add_library(own INTERFACE)
file(MAKE_DIRECTORY "${{PROJECT_BINARY_DIR}}/roots/trunnion")
file(CREATE_LINK "${{PROJECT_SOURCE_DIR}}/own" "${{PROJECT_BINARY_DIR}}/roots/trunnion/own" SYMBOLIC)
target_include_directories(own INTERFACE "${{PROJECT_BINARY_DIR}}/roots")
trunnion_check_headers(own own USES own)
"""

HEADERS = {
    "own/good.hpp": "#pragma once\n#include <string>\ninline std::string good() { return {}; }\n",
    "own/sub/forgets_include.hpp": "#pragma once\ninline std::string bad() { return {}; }\n",
    "own/twice.hpp": "inline int not_guarded() { return 1; }\n",
}


def build(folder: str) -> subprocess.CompletedProcess:
    run = None
    for command in (
        ["cmake", "-G", "Ninja", "-S", folder, "-B", f"{folder}/build"],
        ["cmake", "--build", f"{folder}/build", "--target", "header_check", "--", "-k0"],
    ):
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            break
    return run


def main() -> int:
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        for path, text in HEADERS.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        run = build(folder)
        blamed = {match[1] for match in re.finditer(r"trunnion/(own/[\w/]+\.hpp):\d+:\d+: error", run.stdout)}
        if run.returncode == 0 or blamed != {"own/sub/forgets_include.hpp", "own/twice.hpp"}:
            failures.append(f"two headers are wrong, but blamed were {sorted(blamed)}\n{run.stdout}{run.stderr}")
        for path in blamed:
            (root / path).unlink()
        run = build(folder)
        if run.returncode != 0:
            failures.append(f"all headers that are left are good, but:\n{run.stdout}{run.stderr}")
    print(*failures or ["header_check sees planted mistakes"], sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
