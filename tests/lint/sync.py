#!/usr/bin/env python3
"""Every release and acquire names its partner: a comment SYNC(name) is at both ends, and no release
or acquire is without one nearby."""

import re
from collections import defaultdict

import lint

ORDER = re.compile(r"memory_order(?:_|::)(acquire|release|acq_rel)\b")
NAME = re.compile(r"SYNC\(([\w. -]+)\)")
NEAR = 6  # lines below a comment that it covers

ends = defaultdict(set)  # name: {"acquire", "release"}
places = defaultdict(list)
faults = []
for path in lint.files(".cpp", ".hpp", under=("libam", "transports", "mpidial")):
    lines = (lint.ROOT / path).read_text().splitlines()
    for number, line in enumerate(lines, 1):
        for name in NAME.findall(line):
            places[name].append(f"{path}:{number}")
        above = "\n".join(lines[max(0, number - 1 - NEAR) : number])
        for order in ORDER.findall(line):
            names = NAME.findall(above)
            if not names:
                faults.append(f"{path}:{number}: {order} without a comment SYNC(name)")
            for name in names:
                ends[name].update(("acquire", "release") if order == "acq_rel" else (order,))

for name, where in places.items():
    missing = {"acquire", "release"} - ends[name]
    if len(where) < 2 or missing:
        faults.append(f"SYNC({name}) at {', '.join(where)}: no {' nor '.join(sorted(missing))} end")
lint.finish(len(places), "pairs", faults)
