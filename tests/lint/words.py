#!/usr/bin/env python3
"""Names, comments and pages use the words of docs/glossary.md, and none that its last table bans.

The table has the banned words in its first column and the words to use in the second. A banned word
may not be a part of a name, nor a word of a comment, a string or a page; a phrase of several words
may not stand in a page. Only the glossary itself may have them.

usage: words.py [FILE...]    (without one: all files written by hand)
"""

import re
import sys

import cited
import lint

GLOSSARY = "docs/glossary.md"
HEADING = "## Words that libam does not use"
# The table itself; the licence; the tests of this lint.
LEFT_OUT = re.compile(r"^(docs/glossary\.md|LICENSE|tests/lint/words\w*\.py)$")


def table(text):
    """Banned word or phrase -> the words to use."""
    if HEADING not in text:
        return {}
    banned = {}
    for row in re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", text.split(HEADING, 1)[1], re.M):
        if row[0].strip() == "not" or set(row[0]) <= set("- "):
            continue
        for word in row[0].split(","):
            banned[word.strip().lower()] = row[1].strip()
    return banned


def faults_of(path, text, banned):
    """The faults of one file, in the order of its lines."""
    found = []
    # A run of letters is a word or a part of a name: no name is in camelCase.
    for word in re.finditer(r"[A-Za-z]+", text):
        if word[0].lower() in banned:
            found.append((word.start(), word[0]))
    if path.endswith(".md"):
        for phrase in (phrase for phrase in banned if " " in phrase):
            spread = r"\s+".join(map(re.escape, phrase.split()))
            found += [(match.start(), phrase)
                      for match in re.finditer(rf"\b{spread}\b", text, re.I)]
    for at, word in sorted(found):
        yield (f"{path}:{text.count(chr(10), 0, at) + 1}: '{word}': "
               f"say {banned[word.lower()]} ({GLOSSARY})")


def main():
    banned = table((lint.ROOT / GLOSSARY).read_text())
    if not banned:
        lint.finish(0, "files", [f"{GLOSSARY}: no table under '{HEADING}'"])
    faults, count = [], 0
    for path in dict.fromkeys(sys.argv[1:] or cited.all_files()):
        if LEFT_OUT.match(path):
            continue
        try:
            text = (lint.ROOT / path).read_text()
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        count += 1
        faults += faults_of(path, text, banned)
    lint.finish(count, "files", faults)


if __name__ == "__main__":
    main()
