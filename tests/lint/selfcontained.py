#!/usr/bin/env python3
"""Every header compiles alone; installed C headers also as C11, and installed headers also without
exceptions. What a source file includes before anything else has compiled alone with it.

usage: selfcontained.py CXX-COMPILER C-COMPILER
"""

import pathlib
import re
import shutil
import subprocess
import sys

import lint

CXX, C = sys.argv[1:3]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only"]
INSTALLED = ["-Ilibam/include"]
INSIDE = INSTALLED + ["-I."]


# Who tells where a header of others stands; what includes it is left to the compiler where that is not known.
TOLD_BY = {"<mpi.h>": ["mpicc.openmpi", "--showme:compile"],
           "<rpc/rpc.h>": ["pkg-config", "--cflags", "libtirpc"],
           "<pmix.h>": ["pkg-config", "--cflags", "pmix"],
           "<libam/boot/pmix/": ["pkg-config", "--cflags", "pmix"]}


def folders_told_by(command):
    if shutil.which(command[0]) is None:
        return None
    told = subprocess.run(command, capture_output=True, text=True)
    return told.stdout.replace("-I", "-isystem").split() if told.returncode == 0 else None


def first_include(source):
    """The header of ours that a source file begins with, or None."""
    first = re.search(r'^#include [<"]([^>"]+)[>"]', (lint.ROOT / source).read_text(), re.M)
    places = (pathlib.Path(), source.parent)
    return next((place / first[1] for place in places if first and (lint.ROOT / place / first[1]).is_file()),
                None)


def commands(header):
    """How this header is compiled, and what with."""
    installed = header.is_relative_to("libam/include")
    outside = installed or header.parts[0] in ("calib", "apps")
    folders = INSTALLED + ["-I."] * (not installed) if outside else INSIDE
    text = (lint.ROOT / header).read_text()
    for name in (name for name in TOLD_BY if f"#include {name}" in text):
        told = folders_told_by(TOLD_BY[name])
        if told is None:
            return
        folders = folders + told
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
begun_with = {first_include(source) for source in lint.files(".cpp")}
untried = [header for header in headers if header not in begun_with]
lint.finish(len(headers), "headers", sum(lint.in_parallel(try_all, untried), []))
