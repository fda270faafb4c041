#!/usr/bin/env python3
"""No name of an unnamed namespace is also the name of something that a header declares in one of
the namespaces around it.

Files are compiled several at a time (unity builds), so that such a name hides the header's one in
files beside its own, and a constant silently has another value there.

usage: hidden.py [FILE...]    (without one: all files)
"""

import pathlib
import re
import sys
from collections import defaultdict

import lint

NAMESPACE = re.compile(r"\b(?:inline\s+)?namespace(\s+[\w:]+)?\s*$")
CONSTANT = re.compile(r"^(?:inline\s+|static\s+)*(?:constexpr|constinit|const)\b[^=({]*?(\w+)\s*"
                      r"(?:\[[^\]]*\]\s*)?(?:[={]|$)")


def constants(text, around=()):
    """(namespaces, name) of each constant at namespace scope; an unnamed namespace is ""."""
    at = start = 0
    while at < len(text):
        if text[at] == ";":
            if found := CONSTANT.match(text[start:at].strip()):
                yield around, found[1]
            start = at + 1
        elif text[at] == "{":
            end = lint.end_of_block(text, at)
            if found := NAMESPACE.search(text[start:at]):
                inner = tuple((found[1] or "").strip().split("::"))
                yield from constants(text[at + 1 : end - 1], around + inner)
                start = end
            elif not re.search(r"=\s*$", text[start:at]) and "constexpr" not in text[start:at]:
                start = end  # of a function or a class
            elif re.search(r"\)[^=]*$", text[start:at]):
                start = end  # of a function that is constexpr
            at = end - 1
        at += 1


def found_in(path):
    return list(constants(lint.without_comments((lint.ROOT / path).read_text())))


headers = defaultdict(list)
for path in lint.files(".hpp", ".h"):
    for around, name in found_in(path):
        if "" not in around:
            headers[name].append((around, path))

checked, faults = 0, []
for path in [pathlib.Path(name) for name in sys.argv[1:]] or lint.files(".cpp", ".hpp"):
    for around, name in found_in(path):
        if "" not in around:
            continue
        checked += 1
        own = around[: around.index("")]
        for outer, header in headers[name]:
            if own[: len(outer)] == outer:
                faults.append(f"{path}: {name} hides that of {header} in files compiled beside it")
lint.finish(checked, "constants", faults)
