#!/usr/bin/env python3
"""Names, comments and pages use the words of docs/glossary.md, and none that its last table bans.

The table has the banned words in its first column and what to say instead in the second. A banned
word may not be a part of a name, nor a word of a comment, a string or a page; a phrase of several
words may not stand in a page. Only the glossary itself may have them.

usage: words.py [FILE...]    (without one: all tracked files)
"""

import re
import sys

import lint

GLOSSARY = "docs/glossary.md"
HEADING = "## Words that libam does not use"
# This lint's own tests, and papers and licences that are cited word for word.
LEFT_OUT = re.compile(r"^(docs/glossary\.md|LICENSE|tests/lint/words\w*\.py)$")
WORD = re.compile(r"[A-Za-z]+")


def table(text):
    """Banned word or phrase -> what to say instead."""
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
    """What is said of one file."""
    phrases = {word: instead for word, instead in banned.items() if " " in word}
    for number, line in enumerate(text.splitlines(), 1):
        for word in WORD.findall(line):
            # camelCase does not occur here, so a run of letters is a word or a part of a name.
            if instead := banned.get(word.lower()):
                yield f"{path}:{number}: '{word}': say {instead} ({GLOSSARY})"
        if path.endswith(".md"):
            for phrase, instead in phrases.items():
                if re.search(rf"\b{phrase}\b", line, re.I):
                    yield f"{path}:{number}: '{phrase}': say {instead} ({GLOSSARY})"


def main():
    banned = table((lint.ROOT / GLOSSARY).read_text())
    if not banned:
        lint.finish(0, "files", [f"{GLOSSARY}: no table under '{HEADING}'"])
    paths = sys.argv[1:] or lint.run(["git", "ls-files"]).stdout.split()
    faults, count = [], 0
    for path in paths:
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
