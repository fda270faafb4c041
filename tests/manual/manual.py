#!/usr/bin/env python3
"""Manual pages, completion and docs/settings.md agree with the commands' own output.

usage: manual.py settings|fresh|rendering|options|completion BUILD-DIRECTORY AM-MANUAL
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from checklist import check, finish  # noqa: E402
from clean_environment import CLEAN  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[2]).resolve()
PAGES = sorted((BUILD / "share/man").rglob("*.[17]"))
COMMANDS = [page.stem for page in PAGES if page.suffix == ".1"]


def run(*command, **how):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **how)


def rendered(page):
    """The page as it is shown, one line for each run of text, and the complaints of groff."""
    if shutil.which("groff") is None:
        print("groff is not installed")
        sys.exit(1 if "LIBAM_TEST_CI" in os.environ else 77)
    out = run("groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=300n", page)
    return re.sub(r" +", " ", out.stdout), out.stderr


def help_of(*command):
    return run(BUILD / "bin" / command[0], *command[1:], "--help").stdout


def subcommands_of(text):
    part = text.partition("\nSubcommands:\n")[2].split("\n\n")[0]
    return re.findall(r"^  ([a-z]+) +\S", part, re.M)


def option_lines(text):
    """The options of a help, each as its names and its text."""
    return [(re.findall(r"(?<![\w-])--?\w[\w-]*", names), help_text)
            for names, help_text in re.findall(r"^  (-.*?)(?:\n? {2,})(\S.*)$", text, re.M)]


# --------------------------------------------------------------------------------------------------


def settings():
    """Each page is what am-manual makes of its source, and docs/settings.md has the names that
    am-info lists."""
    for kind, path in (("schema", "docs/am-profile.schema.json"), ("settings", "docs/settings.md")):
        page = (ROOT / path).read_text()
        check(page == run(sys.argv[3], "--" + kind).stdout,
              f"{path} is not as its source is: ninja -C build/release {kind}-page")
    manual = (BUILD / "share/man/man7/libam.7").read_text()
    there = json.loads(run(BUILD / "bin/am-info", "-c", "--json", env=CLEAN).stdout)["settings"]
    built, later = page.split("Not built yet")
    for row in there:
        name, half = row["name"], built if row["built"] else later
        fallback = f"`{row['default']}`" if row["default"] else ""
        check(half.count(f"| `{name}` | {fallback} |") == 1, f"docs/settings.md: no one row of {name}")
        check(f"\\fB{name}\\fR" in manual, f"libam(7) lacks {name}")
    check(page.count("| `AM_") == len(there), "docs/settings.md has rows that am-info does not know")


def rendering():
    """groff reports nothing for any page, and each begins as a manual page does."""
    for page in PAGES:
        text, complaints = rendered(page)
        check(complaints == "", f"{page.name}: {complaints}")
        check(f"NAME\n {page.stem} - " in text, f"{page.name} has no name:\n{text[:200]}")


def fresh():
    """The pages of the build are what am-manual writes now."""
    with tempfile.TemporaryDirectory() as folder:
        run(sys.argv[3], folder)
        written = [file for file in pathlib.Path(folder).rglob("*") if file.is_file()]
        check(len(written) == len(PAGES) + len(COMMANDS), f"am-manual has written {written}")
        for file in written:
            name = file.relative_to(folder)
            there = BUILD / "share" / name
            check(there.is_file() and there.read_bytes() == file.read_bytes(),
                  f"{there} is not what am-manual makes of the commands as they are")


def options():
    """Options, examples and exit statuses of --help are in the page."""
    for command in COMMANDS:
        text, _ = rendered(BUILD / f"share/man/man1/{command}.1")
        helps = [help_of(command)]
        helps += [help_of(command, sub) for sub in subcommands_of(helps[0])]
        check(option_lines(helps[0]), f"{command} --help has no options")
        for names, help_text in sum(map(option_lines, helps), []):
            check(re.search(rf"^ {', '.join(names)}\b.*?{re.escape(help_text)}\.$", text, re.M | re.S),
                  f"{command}(1) does not say of {names}: {help_text}")
        titles = re.findall(r"^([A-Z][\w ]*):\n(?=  )", helps[-1], re.M)
        check({"Examples", "Exit status"} <= set(titles), f"{command} --help has only {titles}")
        for title in set(titles) - {"Options", "Subcommands", "Positionals"}:
            part = helps[-1].split(f"\n{title}:\n")[-1].split("\n\n")[0]
            check(f"\n{title.upper()}\n" in text, f"{command}(1) has no {title}")
            for line in part.strip().splitlines():
                for column in re.split(r"  +", line.strip()):
                    check(f" {column}" in text, f"{command}(1) lacks: {column}")


def completed(*words):
    """The completions that bash offers for the last of these words."""
    script = BUILD / "share/bash-completion/completions" / words[0]
    function = "_" + words[0].replace("-", "_")
    return run("bash", "-c", 'source "$1"; shift; f=$1; shift; COMP_WORDS=("$@"); '
               'COMP_CWORD=$(($# - 1)); $f 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"',
               "bash", script, function, *words).stdout.split()


def completion():
    """Every option that works is offered, no other; so are values and subcommands."""
    for command in COMMANDS:
        for words in [(command,), *((command, sub) for sub in subcommands_of(help_of(command)))]:
            offered = set(completed(*words, "-"))
            for names, help_text in option_lines(help_of(*words)):
                check(offered.issuperset(names) != ("not built yet" in help_text),
                      f"{' '.join(words)}: {names} is wrongly offered or not")
    for words, wanted in [
            (("am-run", "-n", "2", "--bind", ""), ["core", "none"]),
            (("am-run", "--bi"), ["--bind"]),
            (("am-run", "-n", ""), []),
            (("am-run", "-n", "2", "prog", "--bi"), []),
            (("am-calibrate", ""),
             ["run", "peers", "dials", "comb", "commtest", "show", "compare", "export", "report"]),
            (("am-calibrate", "export", "--format", ""), ["loggopsim", "csv", "netgauge"]),
            (("am-calibrate", "show", ""), []),
            (("am-calibrate", "--fu"), ["--full"]),
            (("am-calibrate", "run", "--fu"), ["--full"]),
            (("am-calibrate", "peers", "--qu"), ["--quick"]),
            (("am-calibrate", "peers", "--json", "-"), []),
            (("am-dial", "--mpi", ""), ["openmpi", "mpich"]),
            (("am-suite", "--tr"), ["--transport"])]:
        check(completed(*words) == wanted, f"{words} completes to {completed(*words)}, not {wanted}")


{"settings": settings, "fresh": fresh, "rendering": rendering, "options": options,
 "completion": completion}[sys.argv[1]]()
finish(enough=len(PAGES) == 7)
