"""Shared by the lints: the list of files, and how a lint ends.

A lint that has checked nothing has failed: an empty list is a mistake in the lint.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE_FOLDERS = ("libam", "transports", "mpidial", "calib", "apps", "tests",
                  "docs/tutorial")
SKIPPED = 77  # ctest's status for "skipped"
# A comment, or a literal that contains what looks like one.
COMMENT_OR_LITERAL = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"'
                                r"|'(?:\\.|[^'\\\n])+'", re.S)


def files(*suffixes, under=SOURCE_FOLDERS):
    """Every source file with one of these suffixes, relative to the top."""
    found = []
    for folder in under:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                found.append(path.relative_to(ROOT))
    return found


def without_comments(text):
    """The code only: without comments, strings and preprocessor lines, whose braces would count."""
    text = COMMENT_OR_LITERAL.sub(lambda m: " " if m["comment"] else '""', text)
    return re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def end_of_block(text, start):
    """The position behind the brace that closes the one at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return len(text)


def run(command, text=""):
    """Runs a command at the top with `text` as its input."""
    return subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True)


def in_parallel(function, items):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def skip(why):
    """Skips a lint whose tool is missing; CI has every tool."""
    print(why)
    sys.exit(1 if "LIBAM_TEST_CI" in os.environ else SKIPPED)


def finish(checked, what, faults):
    """Prints the faults and the number of checks; exits."""
    for fault in faults:
        print(fault)
    print(f"{checked} {what} checked, {len(faults)} faults")
    if checked == 0:
        print("nothing was checked: this lint no longer finds what it looks for")
    sys.exit(1 if faults or checked == 0 else 0)


def try_out(name, rows, reported):
    """Tests the lint `name` and exits: runs it on one file for each row (its suffix, its text, what
    is expected). `reported` takes what is expected out of a line about the file."""
    script = pathlib.Path(__file__).with_name(f"{name}.py")
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for suffix, text, expected in rows:
            file = pathlib.Path(folder) / f"tried{suffix}"
            file.write_text(text)
            done = subprocess.run([sys.executable, "-B", script, file], capture_output=True, text=True)
            found = [reported(line) for line in done.stdout.splitlines() if line.startswith(folder)]
            if found != expected or done.returncode != (1 if expected else 0):
                faults.append(f"{name} reports {found}, not {expected}, and returns "
                              f"{done.returncode}:\n{text}\n{done.stdout}{done.stderr}")
    finish(len(rows), "files", faults)
