#!/usr/bin/env python3
"""Compiles one case of cases.cpp: unless it is good it must fail, and the compiler's first error must
have the text that its second line names.

usage: compile_fail.py COMPILER INCLUDE-DIRECTORY CASE
"""

import pathlib
import re
import subprocess
import sys

compiler, include, name = sys.argv[1:4]
cases = (pathlib.Path(__file__).with_name("cases.cpp")).read_text().split("\n// case ")[1:]
(case,) = [case for case in cases if case.startswith(name + "\n")]
_, wanted, program = case.split("\n", 2)
wanted = wanted.removeprefix("// ")
if "#include" not in program:
    program = "#include <am/am.hpp>\n" + program

out = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", "-xc++", "-"],
                     input=program, capture_output=True, text=True)
errors = re.findall(r"error: (.*)", out.stderr)

if wanted == "good":
    sys.exit(out.returncode and f"the good program does not compile:\n{out.stderr}")
if not wanted.startswith("error: "):
    sys.exit(f"{name}: its second line is neither '// good' nor '// error: <text>'")
text = wanted.removeprefix("error: ")
if out.returncode == 0:
    sys.exit(f"{name} compiles, but should say: {text}")
if not errors or text not in errors[0]:
    sys.exit(f"{name}: the first error should be: {text}\nbut it is:\n{out.stderr}")
print(f"{len(errors)} errors, the first: {errors[0]}")
