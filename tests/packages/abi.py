#!/usr/bin/env python3
"""A program linked against the last release works with today's libam.so: abidiff finds nothing
removed and no public type or call changed since the newest tag v*. Additions are free. Before the
first release, and always, the test checks that abidiff detects changes: a description of today's
libam.so with one call less, or one type changed, differs from libam.so.

usage: abi.py WORK-DIRECTORY
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = pathlib.Path(sys.argv[1]).resolve()


def run(*command):
    out = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {out.returncode}\n{out.stdout}{out.stderr}")
    return out.stdout


def build(source, name):
    """Builds a tree's libam.so with full debug information, for abidiff."""
    folder = WORK / name
    run("cmake", "-G", "Ninja", "-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=None",
        "-DCMAKE_CXX_FLAGS=-g", "-DBUILD_TESTING=OFF")
    run("cmake", "--build", folder, "--target", "am")
    return folder / "lib/libam.so"


def differences(old, new, *headers):
    """The differences of the public part that abidiff finds; empty: none."""
    out = subprocess.run(["abidiff", "--no-added-syms", *headers, old, new], capture_output=True,
                         text=True)
    if out.returncode & 3:
        sys.exit(f"abidiff failed:\n{out.stdout}{out.stderr}")
    return out.stdout if out.returncode else ""


def check_that_it_detects_changes(library):
    headers = ROOT / "libam/include/am"
    description = WORK / "today.abi"
    run("abidw", "--headers-dir", headers, "--drop-private-types", "--out-file", description, library)
    changes = differences(description, library, "--headers-dir1", headers, "--headers-dir2", headers)
    if changes:
        sys.exit(f"libam.so differs from its own description:\n{changes}")
    text = description.read_text()
    for what, pattern, other in (
            ("a call that is gone", r"am_ep_rank\b", "am_ep_rank_of_old"),
            ("a member that has moved", r"layout-offset-in-bits='64'", "layout-offset-in-bits='128'")):
        changed, count = re.subn(pattern, other, text)
        if count == 0:
            sys.exit(f"{what}: nothing like '{pattern}' is in {description}")
        old = WORK / "changed.abi"
        old.write_text(changed)
        if not differences(old, library):
            sys.exit(f"abidiff does not notice {what}")


def soname(library):
    return re.search(r"SONAME.*\[(.*)\]", run("readelf", "--dynamic", library))[1]


if shutil.which("abidiff") is None:
    print("abidiff is not installed (package abigail-tools)")
    sys.exit(77)
shutil.rmtree(WORK, ignore_errors=True)
WORK.mkdir(parents=True)
today = build(ROOT, "today")
check_that_it_detects_changes(today)

tags = run("git", "tag", "--list", "v*", "--sort=-version:refname").split()
if not tags:
    print("there is no release yet: abidiff notices what it should, and there is nothing to compare with")
    sys.exit(0)
source = WORK / "source"
source.mkdir()
(WORK / "source.tar").write_bytes(
    subprocess.run(["git", "archive", tags[0]], cwd=ROOT, capture_output=True, check=True).stdout)
run("tar", "-xf", WORK / "source.tar", "-C", source)
released = build(source, "released")
if soname(released) != soname(today):
    print(f"{tags[0]} has {soname(released)}, this has {soname(today)}: programs tell them apart")
    sys.exit(0)
changes = differences(released, today, "--headers-dir1", source / "libam/include/am", "--headers-dir2",
                   ROOT / "libam/include/am")
if changes:
    sys.exit(f"programs of {tags[0]} may fail with today's {soname(today)}:\n{changes}")
print(f"programs of {tags[0]} work with today's {soname(today)}")
