#!/usr/bin/env python3
"""No class of the library has more than 30 methods or 15 data members: a larger one should be
split.

Constructors, destructors, and deleted or defaulted functions do not count as methods; constants and
other static data do not count as members.

A struct without methods and without a private part is a table, such as the settings: it may have
any number of rows. The installed headers are excluded: am::endpoint has a method for each call of
the C interface.

usage: classes.py [FILE...]    (without one: all files of the library)
"""

import pathlib
import re
import sys

import lint

MOST_METHODS = 30
MOST_MEMBERS = 15
BEGIN = re.compile(r"(?:^|[^\w])(class|struct|union)\s+(?:alignas\s*\([^)]*\)\s*|\[\[[^\]]*\]\]\s*)*"
                   r"([\w:]+)(?:\s+final)?\s*(?::[^{;()]*)?$")


def declarations(body):
    """The declarations of one level, each without the contents of its braces."""
    text = ""
    at = 0
    while at < len(body):
        char = body[at]
        if char == "{":
            end = lint.end_of_block(body, at)
            follows = body[end:].lstrip()[:1]
            text += "{}"
            at = end
            in_arguments = text.count("(") != text.count(")")
            if follows not in (";", ",", "=") and "(" in text and not in_arguments:
                yield text
                text = ""
            continue
        if char == ";":
            yield text
            text = ""
        elif re.match(r"(public|private|protected)\s*:(?!:)", body[at:]) and not text.strip():
            at = body.index(":", at)
        else:
            text += char
        at += 1


def kind_of(declaration, name):
    """Whether it is a method, a member, or neither."""
    text = " ".join(re.sub(r"\[\[[^\]]*\]\]|alignas\s*\([^)]*\)", "", declaration).split())
    text = re.sub(r"^template ?<(?:[^<>]|<[^<>]*>)*> ?(requires [^;{]*\) )?", "", text)
    if not text or re.match(r"(using|friend|static_assert|typedef|enum|class|struct|union)\b", text):
        return None
    if re.search(r"= ?(delete|default)$", text):
        return None
    before = text.split("=")[0] if not re.search(r"operator", text) else text
    before = re.sub(r"<[^<>()]*(?:\([^<>]*\))?[^<>()]*>", "", before)
    if "(" in before and not re.match(r"[^(]*\(\s*(?:\w+::)?\*", before):
        called = re.search(r"(~?\w+|operator[^(]*)\s*\(", before)
        if called and called[1] in (name, "~" + name):
            return None
        return "method"
    if re.match(r"(static|constexpr|inline static|extern)\b", text):
        return "method" if re.match(r"static am_handler_fn\b", text) else None
    return "member"


def is_table(kind, body, methods):
    """Whether it is a struct without methods and without a private part; nested classes do not
    count."""
    own = ""
    at = 0
    while at < len(body):
        at = lint.end_of_block(body, at) if body[at] == "{" else at + 1
        own += body[at - 1]
    return kind == "struct" and methods == 0 and not re.search(r"\b(private|protected)\s*:", own)


def classes(text, where):
    """(name, methods, members) of each class; the members of a table are not counted."""
    for found in re.finditer(r"\{", text):
        head = BEGIN.search(text[:found.start()].rstrip()[-300:])
        if head is None or re.search(r"\benum\s*$", text[:found.start()][:-len(head[0])]):
            continue
        if re.search(r"enum\s+(class|struct)\s+[\w:]+[^{;]*$", text[:found.start()]):
            continue
        name = head[2].split("::")[-1]
        body = text[found.end():lint.end_of_block(text, found.start()) - 1]
        kinds = [kind_of(one, name) for one in declarations(body)]
        methods, members = kinds.count("method"), kinds.count("member")
        if is_table(head[1], body, methods):
            members = 0
        yield f"{where}: {head[1]} {name}", methods, members


paths = [pathlib.Path(name) for name in sys.argv[1:]] or [
    path for path in lint.files(".hpp", ".cpp", under=("libam", "transports", "mpidial"))
    if not path.is_relative_to("libam/include")]
faults = []
checked = 0
for path in paths:
    for name, methods, members in classes(lint.without_comments((lint.ROOT / path).read_text()), path):
        checked += 1
        if methods > MOST_METHODS:
            faults.append(f"{name} has {methods} methods, {MOST_METHODS} are allowed")
        if members > MOST_MEMBERS:
            faults.append(f"{name} has {members} members, {MOST_MEMBERS} are allowed")
lint.finish(checked, "classes", faults)
