#!/usr/bin/env python3
"""No file is longer than 400 lines, unless one of its first lines gives a reason: "long:
<reason>"."""

import re

import lint

LIMIT = 400
SUFFIXES = (".cpp", ".hpp", ".h", ".c", ".py", ".sh", ".cmake", ".txt")

paths = lint.files(*SUFFIXES, under=lint.SOURCE_FOLDERS + ("cmake", "packaging"))
faults = []
for path in paths:
    lines = (lint.ROOT / path).read_text().splitlines()
    excused = any(re.search(r"\blong: \w+", line) for line in lines[:10])
    if len(lines) > LIMIT and not excused:
        faults.append(f"{path}: {len(lines)} lines, {LIMIT} are allowed: split it")
lint.finish(len(paths), "files", faults)
