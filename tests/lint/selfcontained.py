#!/usr/bin/env python3
"""Every header compiles alone; installed C headers also as C11, and installed headers also without
exceptions. A header that a source file of this build includes first has compiled alone with it, and
so has one that such a header includes first.

usage: selfcontained.py CXX-COMPILER C-COMPILER BUILD-DIRECTORY
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import lint

CXX, C, BUILD = sys.argv[1:4]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only"]
INSTALLED = ["-Ilibam/include"]
INSIDE = INSTALLED + ["-I."]


# Tools that know the folder of another library's header; a header that includes one whose folder is
# unknown is left to the compiler.
FOLDER_TOOLS = {"<mpi.h>": ["mpicc.openmpi", "--showme:compile"],
           "<rpc/rpc.h>": ["pkg-config", "--cflags", "libtirpc"],
           "<pmix.h>": ["pkg-config", "--cflags", "pmix"],
           "<libam/boot/pmix/": ["pkg-config", "--cflags", "pmix"]}


def folders_from(command):
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.replace("-I", "-isystem").split() if done.returncode == 0 else None


def first_include(file):
    """The header of ours that stands before all others in this file; None if there is none."""
    first = re.search(r"^#(?!pragma once).*", file.read_text(), re.M)
    named = re.fullmatch(r'#include [<"]([^>"]+)[>"]', first[0]) if first else None
    for place in (lint.ROOT, file.parent, lint.ROOT / "libam/include") if named else ():
        if (place / named[1]).is_file():
            return (place / named[1]).resolve().relative_to(lint.ROOT)
    return None


def with_first_includes(header):
    """The header and all that compile alone if it does."""
    while header is not None:
        yield header
        header = first_include(lint.ROOT / header)


def compiled_alone():
    """The headers that compiled source files of this build include first."""
    compiled = json.loads((pathlib.Path(BUILD) / "compile_commands.json").read_text())
    for source in {pathlib.Path(entry["file"]) for entry in compiled}:
        if source.is_relative_to(lint.ROOT):
            yield from with_first_includes(first_include(source))


def to_try(headers):
    """As few of these headers as prove that all compile alone."""
    proved = set(compiled_alone())
    installed = [header for header in headers if header.is_relative_to("libam/include")]
    untried = [header for header in headers if header not in proved and header not in installed]
    behind = {each for header in untried for each in list(with_first_includes(header))[1:]}
    return installed + [header for header in untried if header not in behind]


def commands(header):
    """The commands that compile this header."""
    installed = header.is_relative_to("libam/include")
    outside = installed or header.parts[0] in ("calib", "apps")
    folders = INSTALLED + ["-I."] * (not installed) if outside else INSIDE
    text = (lint.ROOT / header).read_text()
    for name in (name for name in FOLDER_TOOLS if f"#include {name}" in text):
        done = folders_from(FOLDER_TOOLS[name])
        if done is None:
            return
        folders = folders + done
    cxx = [CXX, "-std=c++20", "-x", "c++", *WARNINGS, *folders]
    yield cxx
    if installed and header.suffix == ".h":
        yield [C, "-std=c11", "-x", "c", *WARNINGS, *folders]
        yield cxx + ["-fno-exceptions"]
        if header.name in ("am.h", "types.h"):
            yield [CXX, "-std=c++11", "-x", "c++", "-fno-exceptions", "-fno-rtti", *WARNINGS, *folders]


def try_all(header):
    faults = []
    text = f'#include "{lint.ROOT / header}"\n'
    for command in commands(header):
        out = lint.run(command + ["-"], text)
        if out.returncode != 0:
            faults.append(f"{header} does not compile alone:\n  {' '.join(command)}\n{out.stderr}")
    return faults


headers = lint.files(".h", ".hpp")
lint.finish(len(headers), "headers", sum(lint.in_parallel(try_all, to_try(headers)), []))
