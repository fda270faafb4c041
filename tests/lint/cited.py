#!/usr/bin/env python3
"""Every name that a comment or a page cites exists: an identifier in code, a file in the tree.

In a comment everything that looks like an identifier is one (with an underscore inside, a :: or a
() behind it); in a page only text in backticks. Names of the system are known from the code that
uses them; FOREIGN lists those that no code uses.

usage: cited.py [FILE...]    (without one: all sources and pages)
"""

import re
import sys

import lint

SOURCES = (".cpp", ".hpp", ".c", ".h")
IN_COMMENT = re.compile(r"[\w/-]+\.(?:hpp|cpp|md|py|txt|cmake|sh)\b"
                        r"|\b\w+::[\w:]*\w|(?<![\w./-])[A-Za-z]\w*_\w*|\b\w+(?=\(\))")
IN_PAGE = re.compile(r"`([A-Za-z_][\w:]*(?:_|::)\w+(?:\(\))?|[\w/-]+\.(?:hpp|cpp|md|py|cmake|sh))`")
FOREIGN = {
    "PF_EXITING",  # a flag of the kernel in /proc
    "n_1",  # of a formula
    "PMIX_ERR_PROC_ABORTED",  # of PMIx, not used
    "PMIX_QUERY_PROC_TABLE",
    "PMIx_Notify_event",
    "PMIx_Process_monitor",
    "sum.cpp",  # a file of the reader
    "ucp_am",  # UCX's Active Messages as a whole
    "uct_mm_ep_am_short_iov",  # inside UCX
    "all_spread_free",  # of Split-C
    "for_my_1d",
    "for_my_2d",
    "splitc_main",
    "splitc_poll",
    "UCX_HANDLE_ERRORS",  # settings of UCX
    "UCX_DEBUG_SIGNO",
    "UCX_KEEPALIVE_INTERVAL",
    "UCX_TCP_KEEPCNT",
    "UCX_TCP_KEEPIDLE",
    "UCX_TCP_KEEPINTVL",
}


def comments_and_code(text):
    """The comments, each with its first line, and the code."""
    comments, rest, at = [], [], 0
    for token in lint.COMMENT_OR_LITERAL.finditer(text):
        if token["comment"]:
            comments.append((text.count("\n", 0, token.start()) + 1, token[0]))
            rest.append(text[at:token.start()])
            at = token.end()
    return comments, "".join(rest) + text[at:]


def all_files():
    """All files written by hand: the source folders, and the files at the top."""
    found = [path for path in lint.ROOT.iterdir() if path.is_file()]
    for folder in (*lint.SOURCE_FOLDERS, "docs", "cmake", "packaging"):
        found += [path for path in sorted((lint.ROOT / folder).rglob("*")) if path.is_file()]
    return [str(path.relative_to(lint.ROOT)) for path in found if "__pycache__" not in path.parts]


def known_names(paths):
    """Every word of code and of scripts; lists of faults cite, and so does this lint."""
    names = set()
    for path in paths:
        if path.endswith(".md") or re.search(r"/faults\w*\.txt$|^tests/lint/cited", path):
            continue
        try:
            text = (lint.ROOT / path).read_text()
        except (UnicodeDecodeError, OSError):
            continue
        code = comments_and_code(text)[1] if path.endswith(SOURCES) else text
        names.update(re.findall(r"\w+", code))
    return names


def cited(path, text):
    """Each cited name with its line."""
    if path.endswith(".md"):
        for match in IN_PAGE.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match[1].removesuffix("()")
        return
    for first, comment in comments_and_code(text)[0]:
        for match in IN_COMMENT.finditer(comment):
            yield first + comment.count("\n", 0, match.start()), match[0]


def exists(name, names, paths):
    if name in FOREIGN:
        return True
    if re.search(r"\.[a-z]+$", name):
        return any(path == name or path.endswith("/" + name) for path in paths)
    if name.endswith("_") and name not in names:  # a family, such as am_ep_
        return any(other.startswith(name) for other in names)
    return all(part in names for part in name.split("::") if part)


def main():
    paths = all_files()
    names = known_names(paths)
    chosen = sys.argv[1:] or [p for p in paths if p.endswith(SOURCES + (".md",))]
    faults, count = [], 0
    for path in chosen:
        for line, name in cited(path, (lint.ROOT / path).read_text()):
            count += 1
            if not exists(name, names, paths):
                faults.append(f"{path}:{line}: '{name}' stands nowhere in the code")
    lint.finish(count, "cited names", faults)


if __name__ == "__main__":
    main()
