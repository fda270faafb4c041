#!/usr/bin/env python3
"""What the pages name exists: the commands they show, the files and sections they name, the numbers
they quote from the code, the statuses, the lines that programs print; each program prints the
output below it, and a page that explains a file quotes that file. docs/index.md names every page,
and no page has a wide line.

usage: pages.py commands|links|width|numbers|statuses|quotes|programs|pieces BUILD-DIRECTORY
                [CXX-COMPILER C-COMPILER]
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import checklist  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[2]).resolve()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
GENERATED = ROOT / "docs/settings.md"  # by am-manual, with rows as wide as the values are
MAX_WIDTH = 100
BUILT = "build/release/"
PLACES = ("libam", "transports", "mpidial", "calib", "apps", "tests", "docs", "cmake", "packaging")


def text_of(page):
    return page.read_text()


def check(good, page, line):
    checklist.check(good, f"{page.relative_to(ROOT)}: {line}")


# ---- commands ------------------------------------------------------------------------------------


def help_of(program, *words):
    out = subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=60)
    return out.stdout if out.returncode == 0 else ""


def where(word):
    """The program that a word of a command line names, or None."""
    if word.startswith("./"):
        return ROOT / word
    return BUILD / word[len(BUILT):] if word.startswith(BUILT + "bin/") else None


def check_command(page, line):
    """Programs exist; every option after one, up to the next, is in its --help."""
    program, helped = None, ""
    for word in shlex.split(line, comments=True):
        found = where(word)
        if found is not None:
            there = os.access(found, os.X_OK)
            check(there, page, f"there is no program {word}")
            program, helped = (found, help_of(found)) if there else (None, "")
        elif word in ("&&", "||", "|", ";"):
            program = None
        elif program and re.fullmatch(r"-{1,2}[\w-]+(=.*)?", word):
            option = re.escape(word.split("=")[0])
            check(re.search(rf"(?<![\w-]){option}(?![\w-])", helped), page,
                  f"{program.name} --help does not know {word}")
        elif program and re.fullmatch(r"[a-z]+", word) and (deeper := help_of(program, word)):
            helped += deeper  # a subcommand, whose options follow


def commands():
    for page in PAGES:
        for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text_of(page), re.M | re.S):
            if language not in ("sh", "console", ""):
                continue
            for line in block.replace("\\\n", " ").splitlines():
                line = re.sub(r"^\$ |^(\w+=\S+ )+", "", line)
                if language == "console" and not line.startswith(("./", BUILT)):
                    continue
                if line.startswith(("./", BUILT)) and "…" not in line:
                    check_command(page, line)


# ---- links and files -----------------------------------------------------------------------------


def anchors(page):
    """The link targets of the headings."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text_of(page), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def links():
    for page in PAGES:
        plain = re.sub(r"^```.*?^```", "", text_of(page), flags=re.M | re.S)
        for link in re.findall(r"\[[^\]]*\]\(([^)]+)\)", plain):
            if link.startswith(("http://", "https://")):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            check(target.exists(), page, f"the link {link} leads nowhere")
            if anchor and target.exists():
                check(anchor in anchors(target), page, f"{link}: there is no such section")
        for path in re.findall(r"^\[[^\]]+\]: (\S+)$", plain, re.M):
            check((page.parent / path).exists(), page, f"the link {path} leads nowhere")
        for name in re.findall(r"`([\w./*-]+)`", plain):
            if name.split("/")[0] in PLACES and "/" in name:
                check(any(ROOT.glob(name)), page, f"there is no {name}")
    index = ROOT / "docs/index.md"
    listed = re.findall(r"^- \[[^\]]+\]\(([^)]+)\): ", text_of(index), re.M)
    for page in (ROOT / "docs").glob("*.md"):
        check(page == index or listed.count(page.name) == 1, index, f"does not list {page.name} once")


def width():
    for page in [*PAGES, ROOT / "CHANGELOG.md"]:
        for number, line in enumerate(text_of(page).splitlines(), 1):
            check(len(line) <= MAX_WIDTH or page == GENERATED, page, f"line {number} is too wide")


# ---- numbers -------------------------------------------------------------------------------------


def numbers():
    """Rows "| `name` | value | `file` | … |" agree with that file."""
    for page in PAGES:
        rows = re.findall(r"^\| `(\w+)` \| (\d+) \| `([\w./-]+)` \|", text_of(page), re.M)
        for name, value, path in rows:
            code = (ROOT / path).read_text() if (ROOT / path).exists() else ""
            check(re.search(rf"\b{name} = {value}\b", code), page, f"{path}: no {name} = {value}")


def statuses():
    """docs/semantics.md has every status with its text, and no other."""
    page = ROOT / "docs/semantics.md"
    header = (ROOT / "libam/include/am/types.h").read_text()
    listed = header.split("typedef enum am_status {")[1].split("}")[0]
    there = set(re.findall(r"\bAM_[A-Z_]+(?= = )", listed))
    stated = dict(re.findall(r"\| `(AM_[A-Z_]+)` \| ([^|]+?) \|", text_of(page)))
    for name in sorted(there | set(stated)):
        check(name in there and name in stated, page, f"{name} is not both in types.h and in the table")
    code = (ROOT / "libam/base/error.cpp").read_text()
    for name, text in stated.items():
        check(f'case {name}: return "{text}";' in code, page, f"{name} is not called {text}")
    page = ROOT / "docs/errors.md"
    entries = re.findall(r"^- `(AM_[A-Z_]+)`, ([^:]+): ", text_of(page), re.M)
    for name in sorted(there - {"AM_OK"}):
        check([text for entry, text in entries if entry == name] == [stated.get(name)], page,
              f"{name} has not one entry with its text")
    check(len(entries) == len(there) - 1, page, "an entry of no status")


# ---- lines that programs print -------------------------------------------------------------------


def quotes():
    """Entries of a list below "Messages:" begin with what programs say; … stands for what
    differs."""
    code = "".join(path.read_text() for folder in ("libam", "transports", "calib/driver")
                   for path in sorted((ROOT / folder).rglob("*.cpp")))
    code = re.sub(r'"\s*\n\s*"', "", code)
    for page in PAGES:
        text = text_of(page)
        lists = re.findall(r"^Messages:\n\n((?:(?:- |  ).*\n)+)", text, re.M)
        check(len(lists) == text.count("\nMessages:\n"), page, "no list below 'Messages:'")
        for entry in re.findall(r"^- ((?:[^`:]|`[^`]*`)*):", "".join(lists), re.M):
            for quote in re.findall(r"`([^`]+)`", entry):
                for part in filter(None, (re.sub(r"\s+", " ", p).strip() for p in quote.split("…"))):
                    check(part in code, page, f"no program says: {part}")


# ---- the programs --------------------------------------------------------------------------------


def build(language, source, program):
    compiler = {"cpp": [sys.argv[3], "-std=c++20"], "c": [sys.argv[4], "-std=c11"]}[language]
    code = program.with_suffix(f".{language}")
    code.write_text(source)
    subprocess.run([*compiler, "-O1", "-Wall", "-Wextra", "-Werror",
                    f"-I{ROOT / 'libam/include'}", code, "-o", program,
                    f"-L{BUILD / 'lib'}", "-lam", f"-Wl,-rpath,{BUILD / 'lib'}"], check=True)


def programs():
    """Each program with the words "`am-run -n N …`, it prints" below it prints the text there."""
    for page in PAGES:
        text = text_of(page)
        shown = re.findall(r"^```(cpp|c)\n((?:(?!^```).)*?)^```\n((?!^```).)*?`am-run -n (\d+) \S+`, it prints\n\n"
                           r"```\n(.*?)^```", text, re.M | re.S)
        check(len(shown) == text.count("it prints\n\n```"), page, "a program is not found")
        for language, source, _, ranks, expected in shown:
            with tempfile.TemporaryDirectory() as folder:
                name = pathlib.Path(folder) / "program"
                build(language, source, name)
                out = subprocess.run([BUILD / "bin/am-run", "-n", ranks, name], capture_output=True,
                                     text=True, timeout=60)
            check(out.returncode == 0, page, f"the program ended with {out.returncode}: {out.stderr}")
            check(sorted(out.stdout.splitlines()) == sorted(expected.splitlines()), page,
                  f"the program prints otherwise than shown:\n{out.stdout}")


# ---- pieces of a file ----------------------------------------------------------------------------


def pieces():
    """A page with the words "Every piece of code below stands in `FILE`, which has at most N lines"
    keeps them: blocks of C++, whose parts, … between them, are lines of that file; and the code in
    the columns "in C++" of its tables, which may be a part of a line."""
    seen = 0
    for page in PAGES:
        text = text_of(page)
        stated = re.search(r"Every piece of code below stands in\s+`([\w./]+)`, which has at most (\d+) lines",
                         text)
        if stated is None:
            continue
        lines = [line.strip() for line in (ROOT / stated[1]).read_text().splitlines()]
        check(len(lines) <= int(stated[2]), page, f"{stated[1]} has {len(lines)} lines")
        code = "\n".join(lines) + "\n"
        for block in re.findall(r"^```cpp\n(.*?)^```", text[stated.end():], re.M | re.S):
            for part in re.split(r"^ *…\n", block, flags=re.M):
                seen += 1
                wanted = "".join(line.strip() + "\n" for line in part.splitlines())
                check("\n" + wanted in "\n" + code, page, f"not in {stated[1]}:\n{part}")
        for table in re.findall(r"^\|[^\n|]*\| in C\+\+ \|.*\n((?:\|.*\n)+)", text[stated.end():], re.M):
            for cell in re.findall(r"^\|(?:[^`|]|`[^`]*`)*\|((?:[^`|]|`[^`]*`)*)\|", table, re.M):
                for part in re.findall(r"`([^`]*)`", cell):
                    seen += 1
                    check(part in code, page, f"not in {stated[1]}: {part}")
    checklist.check(seen > 0, "no page quotes a file")


{"commands": commands, "links": links, "width": width, "numbers": numbers, "statuses": statuses,
 "quotes": quotes, "programs": programs, "pieces": pieces}[sys.argv[1]]()
checklist.finish()
