#!/usr/bin/env python3
"""Makes test rows from the calls in docs/semantics.md: one for each call, as a C++ initializer.

Under "## Every call" a table of one row has the rules of the calls listed below it, up to the next
such table; an entry of a list is "- `C name`, `C++ form`, ...: text". A call of am.h or team.h
without an entry, an entry of no call, a C++ name that no header has, and a cell with an unknown
word are errors, so that the page stays complete.

usage: semantics.py SEMANTICS.MD INCLUDE-DIRECTORY OUTPUT
"""

import pathlib
import re
import sys

WORDS = {"runs handlers": {"yes", "no"},
         "in a request handler": {"yes", "no", "once", "nothing", "-"},
         "in a reply or undeliverable handler": {"yes", "no", "nothing", "-"},
         "thread": {"owner", "any"}}
HEAD = "| " + " | ".join(WORDS) + " |"
NAMES = {"-": "not_asked"}
# Rules: the row below the head and its line of dashes. A call: its name in C, and the forms before
# the colon; code there may have colons of its own.
PART = re.compile(re.escape(HEAD) + r"\n\|[-|]+\|\n(?P<rules>\|.*)\n"
                  r"|^- `(?P<call>am_\w+)`(?P<forms>(?:[^`:]|`[^`]*`)*):", re.M)


def rows_of(page):
    """A name in C, the forms in C++ and the rules of each call."""
    section = re.search(r"^## Every call$(.*?)^## ", page, re.M | re.S)
    rows, rules = [], None
    for part in PART.finditer(section[1] if section else ""):
        if part["rules"]:
            cells = [cell.strip() for cell in part["rules"].strip("|").split("|")]
            if len(cells) != len(WORDS):
                sys.exit(f"semantics.md: not {len(WORDS)} cells: {part['rules']}")
            rules = dict(zip(WORDS, cells))
        elif rules is None:
            sys.exit(f"semantics.md: no rules above {part['call']}")
        else:
            rows.append((part["call"], part["forms"], rules))
    if not rows:
        sys.exit(f"semantics.md: no calls below a table with the head {HEAD}")
    return rows


def declared(include):
    text = "".join((include / "am" / name).read_text() for name in ("am.h", "team.h"))
    header = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"^AM_API [^;(]*?\b(am_\w+)\(", header, re.M))


def main():
    page, include, output = map(pathlib.Path, sys.argv[1:4])
    rows = rows_of(page.read_text())
    names = [name for name, _, _ in rows]
    faults = [f"{name} is in am.h or team.h and has no entry"
              for name in sorted(declared(include) - set(names))]
    faults += [f"{name} has an entry and is not in am.h or team.h" for name in names
               if name not in declared(include)]
    faults += [f"{name} has two entries" for name in set(names) if names.count(name) > 1]
    words = " ".join(path.read_text() for path in sorted(include.rglob("*.h*")))
    for name, forms, rules in rows:
        for column, allowed in WORDS.items():
            if rules[column] not in allowed:
                faults.append(f"{name}: '{rules[column]}' is no word for '{column}'")
        for called in re.findall(r"`[^`]*?(\w+)(?:<[\w, ]+>)?\([^`]*\)`", forms):
            if not re.search(rf"\b{called}\(", words):
                faults.append(f"{name}: no header has the C++ name {called}")
    if faults:
        sys.exit("\n".join(f"semantics.md: {fault}" for fault in faults))
    with output.open("w") as out:
        for name, _, rules in rows:
            row = [rules[column] for column in WORDS]
            cells = ", ".join(f"cell::{NAMES.get(word, word)}" for word in row)
            out.write(f'row{{"{name}", {cells}}},\n')


main()
