#!/usr/bin/env python3
"""Every C and C++ file is formatted by .clang-format. Only the version that the sources were
formatted with is used: others disagree with it.

Fix with: clang-format -i FILE
"""

import re
import shutil

import lint

VERSION = 14

if shutil.which("clang-format") is None:
    lint.skip("clang-format is not installed")
found = re.search(r"version (\d+)", lint.run(["clang-format", "--version"]).stdout)
if int(found[1]) != VERSION:
    lint.skip(f"the sources are formatted by clang-format {VERSION}, this is {found[1]}")

paths = lint.files(".cpp", ".hpp", ".h", ".c")


def badly_formatted(some):
    out = lint.run(["clang-format", "--dry-run", "-Werror", "--ferror-limit=1", *map(str, some)])
    return [out.stderr] if out.returncode != 0 else []


# Starting clang-format takes longer than checking a file.
batches = [paths[i::8] for i in range(8)]
lint.finish(len(paths), "files", sum(lint.in_parallel(badly_formatted, batches), []))
