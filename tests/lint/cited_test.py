#!/usr/bin/env python3
"""The lint `cited` reports a name that exists nowhere, and no other: runs it on files made here."""

import pathlib
import subprocess
import sys
import tempfile

import lint

CITED = pathlib.Path(__file__).with_name("cited.py")

# A file's suffix and text, and the names that are reported.
ROWS = [
    (".hpp", "// As bulk_server::can_serve and am_ep_poll() say; see poller.hpp and am_ep_.\n", []),
    (".hpp", "// As no_such_name says.\n", ["no_such_name"]),
    (".hpp", "/* Two lines:\n * no_such_class::poll */\n", ["no_such_class::poll"]),
    (".cpp", "int x;  // nosuchcall() sets it\n", ["nosuchcall"]),
    (".cpp", "// in no_such_file.cpp\n", ["no_such_file.cpp"]),
    (".cpp", "// the no_such_family_ of names\n", ["no_such_family_"]),
    (".cpp", "const char quote = '\"';  // no_such_name\n", ["no_such_name"]),
    (".cpp", 'const char* url = "http://no_such_name";  // am_ep_poll\n', []),
    (".md", "`am_ep_poll()` and `no_such_name`, but no_such_word without a mark\n", ["no_such_name"]),
    (".md", "see `docs/no_such_page.md`\n", ["docs/no_such_page.md"]),
]

faults = []
with tempfile.TemporaryDirectory() as folder:
    for suffix, text, expected in ROWS:
        file = pathlib.Path(folder) / f"made_up{suffix}"
        file.write_text(text)
        done = subprocess.run([sys.executable, "-B", CITED, file], capture_output=True, text=True)
        reported = [line.split("'")[1] for line in done.stdout.splitlines() if line.startswith(folder)]
        if reported != expected or (done.returncode != 0) != bool(expected):
            faults.append(f"for this file it reports {reported}, not {expected}, and returns "
                          f"{done.returncode}:\n{text}\n{done.stdout}{done.stderr}")
lint.finish(len(ROWS), "files", faults)
