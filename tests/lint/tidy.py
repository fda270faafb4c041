#!/usr/bin/env python3
"""clang-tidy reports nothing for what this build compiled; .clang-tidy lists its checks.

usage: tidy.py BUILD-DIRECTORY
"""

import json
import pathlib
import re
import shutil
import sys

import lint

build = pathlib.Path(sys.argv[1])
if shutil.which("clang-tidy") is None:
    lint.skip("clang-tidy is not installed")

compiled = {pathlib.Path(entry["file"])
            for entry in json.loads((build / "compile_commands.json").read_text())}
folders = [lint.ROOT / folder for folder in ("libam", "transports", "mpidial", "calib", "apps",
                                                "tests")]
sources = sorted(path for path in compiled if any(map(path.is_relative_to, folders)))


def complaints_of(path):
    out = lint.run(["clang-tidy", "--quiet", "-p", str(build), str(path)])
    # An error without a position is clang-tidy's own: it rejects a name that the compiler
    # generated.
    return re.findall(r"^/.*: error: .*", out.stdout, re.M)


lint.finish(len(sources), "files", sorted(set(sum(lint.in_parallel(complaints_of, sources), []))))
