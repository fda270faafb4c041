#!/usr/bin/env python3
"""docs/tutorial.md shows the programs of docs/tutorial as they are, and what they print.

Each section of the page that names a file docs/tutorial/stepN_NAME.cpp quotes that file: every line
of its blocks of C++ stands there, in the same order; a line with … alone stands for omitted lines.
In the other blocks a line "$ COMMAND" is followed by what the command prints on standard output, in
any order, and "$ echo $?" by its exit status, which is 0 otherwise.

usage: tutorial.py pieces
       tutorial.py output AM-RUN FOLDER-OF-PROGRAMS
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "tutorial.md"
PROGRAMS = DOCS / "tutorial"
TIME_LIMIT = 60


def sections(text):
    """The name of the program and the text of each section that has one."""
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        if program := re.search(r"`docs/tutorial/(step\w+)\.cpp`", section):
            yield program[1], section


def faults_of_pieces(text):
    quoted = set()
    for program, section in sections(text):
        lines = [line.strip() for line in (PROGRAMS / f"{program}.cpp").read_text().splitlines()]
        code = "\n" + "\n".join(lines) + "\n"
        at = 0
        for block in re.findall(r"^```cpp\n(.*?)^```", section, re.M | re.S):
            for part in re.split(r"^ *…\n", block, flags=re.M):
                quoted.add(program)
                wanted = "\n" + "".join(line.strip() + "\n" for line in part.splitlines())
                found = code.find(wanted, at)
                if found < 0:
                    yield f"not in {program}.cpp, or not in this order:\n{part}"
                else:
                    at = found
    for path in PROGRAMS.glob("step*.cpp"):
        if path.stem not in quoted:
            yield f"the page does not quote {path.name}"


def commands(text):
    """Each command with the lines that it prints and its exit status."""
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, re.M | re.S):
        if language:
            continue
        found = []
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found:
                found[-1][1].append(line)
        for (command, printed), (after, status) in zip(found, found[1:] + [("", [])]):
            if re.search(r"\bam-run -n \d+ build/step", command):
                yield command, printed, int(status[0]) if after == "echo $?" else 0


def faults_of_output(text, am_run, programs):
    ran = 0
    for command, printed, status in commands(text):
        ran += 1
        words = shlex.split(command)
        environment = dict(os.environ)
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            environment[name] = value
        words[0] = am_run
        words = [word.replace("build/", f"{programs}/", 1) if word.startswith("build/") else word
                 for word in words]
        done = subprocess.run(words, env=environment, capture_output=True, text=True,
                              timeout=TIME_LIMIT)
        if done.returncode != status:
            yield f"{command}: exit status {done.returncode}, not {status}; it says:\n{done.stderr}"
        if sorted(done.stdout.splitlines()) != sorted(printed):
            yield f"{command}: it prints\n{done.stdout}and not\n" + "\n".join(printed)
    if ran == 0:
        yield "the page shows no command"


def main():
    text = PAGE.read_text()
    if sys.argv[1] == "pieces":
        faults = list(faults_of_pieces(text))
    else:
        faults = list(faults_of_output(text, *sys.argv[2:4]))
    print("\n".join([*faults, f"{len(faults)} faults"]))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
