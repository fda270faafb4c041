#!/usr/bin/env python3
"""A wrapper that does not forward a call does not compile: removes the forwarding functions from
libam/seam/forwarding.hpp, one at a time, and expects the compiler to name the missing function.
With a default in seam::port or seam::transport it would compile.

usage: forgotten_forward.py COMPILER ROOT
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

compiler, root = sys.argv[1], pathlib.Path(sys.argv[2])
LEAST = 28  # functions: a pattern that no longer finds them is a failure
PROGRAM = """
namespace seam = am::detail::seam;
seam::forwarding_port wrap(seam::port& inner) { return seam::forwarding_port(inner); }
auto wrap(std::unique_ptr<seam::transport> inner) {
  return std::make_unique<seam::forwarding_transport>(std::move(inner));
}
"""
# A member function, from its first line to the end of its body.
FORWARD = re.compile(r"^  (?:\[\[nodiscard\]\] )?[\w:<>*& ]+?\b(\w+)\((?:[^()]|\n)*\)"
                     r"(?: const)?(?:\s+noexcept)?\s+override\s*\{(?:[^{}]|\n)*\}\n", re.MULTILINE)


def errors_of(text):
    out = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", f"-I{root}",
                          f"-I{root}/libam/include", "-"], input=text.replace("#pragma once", "")
                         + PROGRAM, capture_output=True, text=True)
    return out.stderr if out.returncode != 0 else ""


whole = (root / "libam/seam/forwarding.hpp").read_text()
forwards = list(FORWARD.finditer(whole))
overrides = whole.count(" override ")
if len(forwards) != overrides or overrides < LEAST:
    sys.exit(f"found {len(forwards)} of {overrides} forwarding functions, and at least {LEAST} "
             "should be there")
if errors := errors_of(whole):
    sys.exit(f"with all of them it does not compile:\n{errors}")


def forgotten(forward):
    name = forward.group(1)
    errors = errors_of(whole[:forward.start()] + whole[forward.end():])
    if not errors:
        return f"forwarding.hpp compiles without {name}(): it has a default somewhere"
    if not re.search(rf"(abstract|pure)[\s\S]*\b{name}\(", errors):
        return f"without {name}() the compiler says something else:\n{errors}"
    return None


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    troubles = [trouble for trouble in pool.map(forgotten, forwards) if trouble]
if troubles:
    sys.exit("\n".join(troubles))
print(f"each of {overrides} calls is missed when it is not handed on")
