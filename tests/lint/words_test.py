#!/usr/bin/env python3
"""The lint `words` reports banned words and phrases, and no others: tries it with invented files."""

import pathlib
import subprocess
import sys
import tempfile

import lint

WORDS = pathlib.Path(__file__).with_name("words.py")

# A file's suffix and text, and the reported words.
ROWS = [
    (".hpp", "// A signal wakes the reader.\nint signal_peer();\n", []),
    (".hpp", "// Nobody waits.\n", ["Nobody"]),
    (".cpp", "int knock_count = 0;\n", ["knock"]),
    (".cpp", 'const char* text = "the vigil ends";\n', ["vigil"]),
    (".cpp", "int doorsteps;  // a longer word\n", []),
    (".cpp", "// so many phrases are for pages alone\n", []),
    (".md", "It takes so\nmany slots.\n", ["so many"]),
    (".md", "The rank is told `knock`.\n", ["is told", "knock"]),
]

faults = []
with tempfile.TemporaryDirectory() as folder:
    for suffix, text, expected in ROWS:
        file = pathlib.Path(folder) / f"invented{suffix}"
        file.write_text(text)
        done = subprocess.run([sys.executable, "-B", WORDS, file], capture_output=True, text=True)
        reported = [line.split("'")[1] for line in done.stdout.splitlines()
                    if line.startswith(folder)]
        if reported != expected or (done.returncode != 0) != bool(expected):
            faults.append(f"reported {reported}, not {expected}, and returned {done.returncode}:\n"
                          f"{text}\n{done.stdout}{done.stderr}")
lint.finish(len(ROWS), "files", faults)
