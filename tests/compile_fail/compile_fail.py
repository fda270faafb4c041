#!/usr/bin/env python3
"""Compiles one case of cases.cpp: unless it is good it must fail, and the compiler's first error
must have the text of the case. With "headers" in place of a case it compiles the headers of all
cases, once, which makes a case five times as fast.

usage: compile_fail.py COMPILER INCLUDE-DIRECTORY FOLDER headers|CASE
"""

import pathlib
import re
import subprocess
import sys

compiler, include, folder, name = sys.argv[1:5]
CASES = pathlib.Path(__file__).with_name("cases.cpp").read_text()
HEADERS = pathlib.Path(folder) / "headers.hpp"


def compile(*options, text=None):
    return subprocess.run([compiler, "-std=c++20", f"-I{include}", *options], input=text,
                          capture_output=True, text=True)


if name == "headers":
    HEADERS.parent.mkdir(parents=True, exist_ok=True)
    included = sorted({"#include <am/am.hpp>", *re.findall("^#include.*", CASES, re.MULTILINE)})
    HEADERS.write_text("\n".join(included) + "\n")
    instantiate = ["-fpch-instantiate-templates"] if "clang" in compiler else []
    done = compile(*instantiate, "-xc++-header", str(HEADERS), "-o", f"{HEADERS}.gch")
    sys.exit(done.returncode and f"the headers do not compile:\n{done.stderr}")

cases = re.split(r'^CASE\("(.*)",\s+"(.*)"\);\n', CASES, flags=re.MULTILINE)
at = cases.index(name)
text, program = cases[at + 1:at + 3]
if "#include" not in program:
    program = "#include <am/am.hpp>\n" + program

# Both compilers find headers.hpp.gch by this name. What is good must not need other headers than
# its own, in their order.
ahead = [] if text == "good" else ["-include", str(HEADERS)]
out = compile("-fsyntax-only", *ahead, "-xc++", "-", text=program)
errors = re.findall(r"error: (.*)", out.stderr)

if text == "good":
    sys.exit(out.returncode and f"the good program does not compile:\n{out.stderr}")
if out.returncode == 0:
    sys.exit(f"{name} compiles, but should say: {text}")
if not errors or text not in errors[0]:
    sys.exit(f"{name}: the first error should be: {text}\nbut it is:\n{out.stderr}")
print(f"{len(errors)} errors, the first: {errors[0]}")
