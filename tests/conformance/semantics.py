#!/usr/bin/env python3
"""Makes test rows of the table in docs/semantics.md: one for each call, as a C++ initializer.

A call of am.h or team.h that has no row, a row of no call, a C++ name that no header has, and a cell with
another word than those below are errors, so that the table stays whole.

usage: semantics.py SEMANTICS.MD INCLUDE-DIRECTORY OUTPUT
"""

import pathlib
import re
import sys

COLUMNS = ["C", "C++", "may block on", "runs handlers", "in a request handler",
           "in a reply or undeliverable handler", "thread", "on return"]
WORDS = {"runs handlers": {"yes", "no"},
         "in a request handler": {"yes", "no", "once", "nothing", "-"},
         "in a reply or undeliverable handler": {"yes", "no", "nothing", "-"},
         "thread": {"owner", "any"}}
NAMES = {"-": "not_asked"}


def rows_of(page):
    """The rows of the table whose head is COLUMNS."""
    rows, inside = [], False
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and cells == COLUMNS:
            inside = True
        elif inside and not line.startswith("|"):
            break
        elif inside and not re.fullmatch(r"[|\-: ]+", line):
            if len(cells) != len(COLUMNS):
                sys.exit(f"semantics.md: {len(cells)} cells instead of {len(COLUMNS)}: {line}")
            rows.append(dict(zip(COLUMNS, cells)))
    if not rows:
        sys.exit("semantics.md: no table with the columns " + ", ".join(COLUMNS))
    return rows


def declared(include):
    text = "".join((include / "am" / name).read_text() for name in ("am.h", "team.h"))
    header = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"^AM_API [^;(]*?\b(am_\w+)\(", header, re.M))


def main():
    page, include, output = map(pathlib.Path, sys.argv[1:4])
    rows = rows_of(page.read_text())
    faults, names = [], [row["C"].strip("`") for row in rows]
    faults += [f"{name} is in am.h or team.h and has no row" for name in sorted(declared(include) - set(names))]
    faults += [f"{name} has a row and is not in am.h or team.h" for name in names
               if name not in declared(include)]
    faults += [f"{name} has two rows" for name in set(names) if names.count(name) > 1]
    words = " ".join(path.read_text() for path in sorted(include.rglob("*.h*")))
    for name, row in zip(names, rows):
        for column, allowed in WORDS.items():
            if row[column] not in allowed:
                faults.append(f"{name}: '{row[column]}' is no word for '{column}'")
        for called in re.findall(r"`[^`]*?(\w+)(?:<\w+>)?\([^`]*\)`", row["C++"]):
            if not re.search(rf"\b{called}\(", words):
                faults.append(f"{name}: no header has the C++ name {called}")
    if faults:
        sys.exit("\n".join(f"semantics.md: {fault}" for fault in faults))
    with output.open("w") as out:
        for name, row in zip(names, rows):
            cells = ", ".join(f"cell::{NAMES.get(row[column], row[column])}" for column in WORDS)
            out.write(f'row{{"{name}", {cells}}},\n')


main()
