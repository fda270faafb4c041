#!/usr/bin/env python3
"""Every header compiles alone; installed C headers also as C11, and installed headers also without
exceptions.

usage: selfcontained.py CXX-COMPILER C-COMPILER
"""

import shutil
import subprocess
import sys

import lint

CXX, C = sys.argv[1:3]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only"]
INSTALLED = ["-Ilibam/include"]
INSIDE = INSTALLED + ["-I.", "-DFMT_HEADER_ONLY"]


def folders_of_mpi():
    """Where mpi.h stands; a header that includes it is left to the compiler where there is none."""
    wrapper = shutil.which("mpicc.openmpi")
    if wrapper is None:
        return None
    shown = subprocess.run([wrapper, "--showme:compile"], capture_output=True, text=True).stdout
    return shown.replace("-I", "-isystem").split()


def commands(header):
    """How this header is compiled, and what with."""
    installed = header.is_relative_to("libam/include")
    outside = installed or header.parts[0] in ("calib", "apps")
    folders = INSTALLED + ["-I."] * (not installed) if outside else INSIDE
    if "#include <mpi.h>" in (lint.ROOT / header).read_text():
        mpi = folders_of_mpi()
        if mpi is None:
            return
        folders = folders + mpi
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
lint.finish(len(headers), "headers", sum(lint.in_parallel(try_all, headers), []))
