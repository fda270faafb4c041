#!/usr/bin/env python3
"""Compiles one program that breaks a rule: it must fail, and the compiler's first words must give
the reason. The first line of the program is "// error: <text>", or "// good" for the one that keeps
all rules and so proves that the others fail for their own reason.

usage: compile_fail.py COMPILER INCLUDE-DIRECTORY PROGRAM
"""

import re
import subprocess
import sys

compiler, include, program = sys.argv[1:4]
with open(program) as file:
    wanted = file.readline().strip().removeprefix("// ")

out = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", program],
                     stdin=subprocess.DEVNULL, capture_output=True, text=True)
errors = re.findall(r"error: (.*)", out.stderr)

if wanted == "good":
    if out.returncode != 0:
        sys.exit(f"the good program does not compile:\n{out.stderr}")
    sys.exit()
if not wanted.startswith("error: "):
    sys.exit(f"{program}: its first line is neither '// good' nor '// error: <text>'")
text = wanted.removeprefix("error: ")
if out.returncode == 0:
    sys.exit(f"{program} compiles, but should say: {text}")
if not errors or text not in errors[0]:
    sys.exit(f"{program}: the first error should be: {text}\nbut it is:\n{out.stderr}")
print(f"{len(errors)} errors, the first: {errors[0]}")
