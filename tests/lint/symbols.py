#!/usr/bin/env python3
"""libam.so exports what am.h and gam.h declare, under the version AM_0, and nothing else; its soname and
cmake/libam.map agree.

usage: symbols.py LIBRARY
"""

import re
import sys

import lint

library = sys.argv[1]
text = "".join((lint.ROOT / "libam/include/am" / name).read_text() for name in ("am.h", "gam.h"))
header = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
declared = set(re.findall(r"^AM_API [^;(]*?\b(am_\w+)\(", header, re.M))
listed = set(re.findall(r"^\s+(am_\w+);", (lint.ROOT / "cmake/libam.map").read_text(), re.M))

exported, faults = set(), []
for line in lint.run(["nm", "--dynamic", "--defined-only", library]).stdout.splitlines():
    name, _, version = line.split()[-1].partition("@@")
    if name == "AM_0":
        continue
    exported.add(name)
    if version != "AM_0":
        faults.append(f"{name} has the version '{version}', not AM_0")


def differ(left, left_name, right, right_name):
    for name in sorted(left - right):
        faults.append(f"{name} is in {left_name}, but not in {right_name}")


differ(declared, "the headers", listed, "libam.map")
differ(listed, "libam.map", declared, "the headers")
differ(declared, "the headers", exported, "libam.so")
differ(exported, "libam.so", declared, "the headers")

soname = re.search(r"SONAME.*\[(.*)\]", lint.run(["readelf", "-d", library]).stdout)
if not soname or soname[1] != "libam.so.0":
    faults.append(f"the soname is {soname and soname[1]}, not libam.so.0")
lint.finish(len(exported), "symbols", faults)
