#!/usr/bin/env python3
"""The lint `words` reports banned words and phrases, and no others."""

import lint

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

lint.try_out("words", ROWS, lambda line: line.split("'")[1])
