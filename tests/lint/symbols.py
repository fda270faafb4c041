#!/usr/bin/env python3
"""libam.so exports what am.h, team.h and gam.h declare, under the version AM_0, and nothing else:
the headers, cmake/libam.map and packaging/debian/libam0.symbols agree. It needs only the C and C++
runtime. libam.a, if it is named, exports no other name either, and none outside am. A module
exports one name and needs none of libam, so that it works with every form of the library. A library
of am-dial exports calls of MPI alone.

usage: symbols.py LIBRARY [ARCHIVE]
"""

import pathlib
import re
import sys

import lint

RUNTIME = {"libstdc++.so.6", "libgcc_s.so.1", "libm.so.6", "libc.so.6"}

library, archives = sys.argv[1], sys.argv[2:]
text = "".join((lint.ROOT / "libam/include/am" / name).read_text() for name in ("am.h", "team.h", "gam.h", "trace.h"))
header = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
declared = set(re.findall(r"^AM_API [^;(]*?\b(am_\w+)\(", header, re.M))
listed = set(re.findall(r"^\s+(am_\w+);", (lint.ROOT / "cmake/libam.map").read_text(), re.M))
debian = (lint.ROOT / "packaging/debian/libam0.symbols").read_text()
packed = set(re.findall(r"^ (am_\w+)@AM_0 \d+\.\d+\.\d+$", debian, re.M))

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
    for name in sorted(right - left):
        faults.append(f"{name} is in {right_name}, but not in {left_name}")


differ(declared, "the headers", listed, "libam.map")
differ(declared, "the headers", packed, "libam0.symbols")
differ(declared, "the headers", exported, "libam.so")

dynamic = lint.run(["readelf", "--dynamic", library]).stdout
soname = re.search(r"SONAME.*\[(.*)\]", dynamic)
if not soname or soname[1] != "libam.so.0":
    faults.append(f"the soname is {soname and soname[1]}, not libam.so.0")
for needed in re.findall(r"NEEDED.*\[(.*)\]", dynamic):
    if needed not in RUNTIME and not needed.startswith("ld-linux"):
        faults.append(f"libam.so needs {needed}, which is no part of the C and C++ runtime")

# The tools need no more than that, except am-run, which binds ranks to cores: hwloc.
for tool in (pathlib.Path(library).parent.parent / "bin" / name
             for name in ("am-run", "am-info", "am-calibrate")):
    for needed in re.findall(r"NEEDED.*\[(.*)\]", lint.run(["readelf", "--dynamic", tool]).stdout):
        if needed not in RUNTIME | {"libhwloc.so.15"} and not needed.startswith("ld-linux"):
            faults.append(f"{tool.name} needs {needed}")

# A module exports one name and needs, beside the runtime, the library it serves.
MODULES = {"tcp.so": {"libsodium.so.23"}, "ucx.so": {"libucp.so.0", "libucs.so.0"},
           "pmix.so": {"libpmix.so.2"}}
for module in (pathlib.Path(library).parent / "am").glob("*.so"):
    shown = {line.split()[-1] for line in
             lint.run(["nm", "--dynamic", "--defined-only", module]).stdout.splitlines()}
    if module.name.startswith("dial-mpi-"):  # no module of libam: programs over MPI load it
        other = [name for name in sorted(shown) if not re.match(r"MPI_\w+$|mpi_init_", name)]
        faults += [f"{module.name} exports {name}, no call of MPI" for name in other]
    elif shown != {"am_module"}:
        faults.append(f"{module.name} exports {sorted(shown)}, not only am_module")
    undefined = lint.run(["nm", "--dynamic", "--undefined-only", module]).stdout
    for name in re.findall(r" U (am_\w+|_Z\w*?2am\w*)", undefined):
        faults.append(f"{module.name} needs {name} of libam")
    for needed in re.findall(r"NEEDED.*\[(.*)\]", lint.run(["readelf", "--dynamic", module]).stdout):
        if needed not in RUNTIME | MODULES.get(module.name, set()) and not needed.startswith("ld-linux"):
            faults.append(f"{module.name} needs {needed}")

# Symbols from headers of other libraries (fmt, Boost, the standard library) are weak.
for archive in archives:
    table = lint.run(["readelf", "--symbols", "--wide", archive]).stdout
    strong = re.findall(r" GLOBAL +(\w+) +\d+ (\S+)$", table, re.M)
    differ(declared, "the headers", {name for sight, name in strong if sight == "DEFAULT"}, "libam.a")
    for name in sorted({name for _, name in strong if not re.match(r"am_|_Z\w*?2am", name)}):
        faults.append(f"{name} is in libam.a, and may collide with a name of the program")
lint.finish(len(exported), "symbols", faults)
