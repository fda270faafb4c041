#!/usr/bin/env python3
"""Every public declaration of the installed headers has a comment that the reference shows
(docs/Doxyfile), and every function that libam.so exports is in the reference."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import lint

if shutil.which("doxygen") is None:
    lint.skip("doxygen is not installed")

with tempfile.TemporaryDirectory() as folder:
    # The headers only: Doxygen's view of the pages changes from version to version.
    settings = (lint.ROOT / "docs/Doxyfile").read_text() + "INPUT = libam/include/am\n"
    out = subprocess.run(["doxygen", "-"], cwd=lint.ROOT, input=settings, text=True,
                         capture_output=True, env={**os.environ, "AM_REFERENCE": folder})
    tags = pathlib.Path(folder, "libam.tag")
    shown = set(re.findall(r"<name>(\w+)</name>", tags.read_text())) if tags.exists() else set()

faults = [line for line in out.stderr.splitlines() if "warning:" in line or "error:" in line]
listed = set(re.findall(r"^\s+(am_\w+);", (lint.ROOT / "cmake/libam.map").read_text(), re.M))
faults += [f"{name} is in cmake/libam.map, but not in the reference: does its header begin with @file?"
           for name in sorted(listed - shown)]
lint.finish(len(shown), "names", faults)
