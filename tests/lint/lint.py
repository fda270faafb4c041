"""What the lints share: which files there are, and how a lint ends.

A lint that has looked at nothing has failed: an empty list is a mistake in the lint.
"""

import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE_FOLDERS = ("libam", "transports", "calib", "apps", "tests")
SKIPPED = 77  # what ctest takes for "skipped"
# A comment, or a literal in which what looks like one is none.
COMMENT_OR_LITERAL = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"'
                                r"|'(?:\\.|[^'\\\n])+'", re.S)


def files(*suffixes, under=SOURCE_FOLDERS):
    """Every file of ours with one of these suffixes, relative to the top."""
    found = []
    for folder in under:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                found.append(path.relative_to(ROOT))
    return found


def run(command, text=""):
    """Runs a command at the top with `text` as its input."""
    return subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True)


def in_parallel(function, items):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def skip(why):
    """Leaves a lint whose tool is not here; CI has every tool."""
    print(why)
    sys.exit(1 if "LIBAM_TEST_CI" in os.environ else SKIPPED)


def finish(checked, what, faults):
    """Prints the faults and how much was looked at; exits."""
    for fault in faults:
        print(fault)
    print(f"{checked} {what} checked, {len(faults)} faults")
    if checked == 0:
        print("nothing was checked: this lint no longer finds what it looks for")
    sys.exit(1 if faults or checked == 0 else 0)
