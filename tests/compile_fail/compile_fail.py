#!/usr/bin/env python3
"""Compiles one case of cases.cpp: unless it is good it must fail, and the compiler's first error
must have the text of the case.

usage: compile_fail.py COMPILER INCLUDE-DIRECTORY CASE
"""

import pathlib
import re
import subprocess
import sys

compiler, include, name = sys.argv[1:4]
cases = re.split(r'^CASE\("(.*)",\s+"(.*)"\);\n',
                 pathlib.Path(__file__).with_name("cases.cpp").read_text(), flags=re.MULTILINE)
at = cases.index(name)
text, program = cases[at + 1:at + 3]
if "#include" not in program:
    program = "#include <am/am.hpp>\n" + program

out = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", "-xc++", "-"],
                     input=program, capture_output=True, text=True)
errors = re.findall(r"error: (.*)", out.stderr)

if text == "good":
    sys.exit(out.returncode and f"the good program does not compile:\n{out.stderr}")
if out.returncode == 0:
    sys.exit(f"{name} compiles, but should say: {text}")
if not errors or text not in errors[0]:
    sys.exit(f"{name}: the first error should be: {text}\nbut it is:\n{out.stderr}")
print(f"{len(errors)} errors, the first: {errors[0]}")
