#!/usr/bin/env python3
"""clang-tidy reports nothing for what this build compiled; .clang-tidy lists its checks.

usage: tidy.py BUILD-DIRECTORY
"""

import json
import pathlib
import re
import shutil
import sys
import tempfile

import lint

build = pathlib.Path(sys.argv[1])
if shutil.which("clang-tidy") is None:
    lint.skip("clang-tidy is not installed")



def files_in(entry):
    """The files of a command; where several are compiled as one, that one includes them."""
    path = pathlib.Path(entry["file"])
    if path.parent.name != "Unity":
        return [path]
    return [pathlib.Path(named) for named in re.findall(r'^#include "(.*)"$', path.read_text(), re.M)]


commands = [{**entry, "file": str(path), "command": entry["command"].replace(entry["file"], str(path))}
            for entry in json.loads((build / "compile_commands.json").read_text())
            for path in files_in(entry)]
folders = [lint.ROOT / folder for folder in ("libam", "transports", "mpidial", "calib", "apps",
                                                "tests")]
sources = sorted(path for path in {pathlib.Path(entry["file"]) for entry in commands}
                 if any(map(path.is_relative_to, folders)))
database = tempfile.TemporaryDirectory()
pathlib.Path(database.name, "compile_commands.json").write_text(json.dumps(commands))


def complaints_of(path):
    """Each file is compiled by itself."""
    out = lint.run(["clang-tidy", "--quiet", "-p", database.name, str(path)])
    # An error without a position is clang-tidy's own: it rejects a name that the compiler
    # generated.
    return re.findall(r"^/.*: error: .*", out.stdout, re.M)


lint.finish(len(sources), "files", sorted(set(sum(lint.in_parallel(complaints_of, sources), []))))
