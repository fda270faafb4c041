#!/usr/bin/env python3
"""Every header compiles alone; installed C headers also as C11 and without exceptions. One that such
a header includes first has compiled alone with it. A source file includes its own header first.

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


# Tools that know the folder of another library's header; a header that includes one whose folder is
# unknown is left to the compiler.
FOLDER_TOOLS = {"<mpi.h>": ["mpicc.openmpi", "--showme:compile"],
                "<rpc/rpc.h>": ["pkg-config", "--cflags", "libtirpc"],
                "<pmix.h>": ["pkg-config", "--cflags", "pmix"]}


def is_installed(header):
    return header.is_relative_to("libam/include")


def folders_from(command):
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.replace("-I", "-isystem").split() if done.returncode == 0 else None


def header_of_ours(named, file):
    """The header of ours that this file means by a name; None if it is another library's."""
    for place in (lint.ROOT, file.parent, lint.ROOT / "libam/include"):
        if (place / named).is_file():
            return (place / named).resolve().relative_to(lint.ROOT)
    return None


def includes(file):
    """All that a file includes: a header of ours, or what stands in the directive."""
    for named in re.findall(r"^#include (\S+)", file.read_text(), re.M):
        yield header_of_ours(named[1:-1], file) or named


def first_include(file):
    """The header of ours that stands before all others in this file; None if there is none."""
    first = re.search(r"^#(?!pragma once).*", file.read_text(), re.M)
    named = re.match(r'#include [<"]([^>"]+)[>"]', first[0]) if first else None
    return header_of_ours(named[1], file) if named else None


def all_includes(file):
    """What a file includes, and what the headers of ours among that include."""
    found, rest = set(), [file]
    while rest:
        for each in includes(lint.ROOT / rest.pop()):
            if each not in found:
                found.add(each)
                rest += [each] if isinstance(each, pathlib.Path) else []
    return found


def own_header_behind_others(source):
    """The fault that a source file includes its own header, but not as the first of ours."""
    header = source.with_suffix(".hpp")
    ours = [each for each in includes(lint.ROOT / source) if isinstance(each, pathlib.Path)]
    return ([f"{source} includes {header} behind {ours[0]}"]
            if header in ours and ours[0] != header else [])


def with_first_includes(header):
    """The header and all that compile alone if it does."""
    found = []
    while header is not None and header not in found:
        found.append(header)
        header = first_include(lint.ROOT / header)
    return found


def to_try(headers):
    """As few of these headers as prove that all compile alone."""
    in_c = [header for header in headers if is_installed(header) and header.suffix == ".h"]
    untried = [header for header in headers if header not in in_c]
    behind = {each for header in untried if any(commands(header))
              for each in with_first_includes(header)[1:]}
    return in_c + [header for header in untried if header not in behind]


def commands(header):
    """The commands that compile this header."""
    installed = is_installed(header)
    outside = installed or header.parts[0] in ("calib", "apps")
    folders = INSTALLED + ["-I."] * (not installed) if outside else INSIDE
    included = [str(each) for each in all_includes(header)]
    for name in (name for name in FOLDER_TOOLS if name in included):
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
FAULTS = [own_header_behind_others(source) for source in lint.files(".cpp")]
FAULTS += lint.in_parallel(try_all, to_try(headers))
lint.finish(len(headers), "headers", sum(FAULTS, []))
