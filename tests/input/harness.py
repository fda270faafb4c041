"""Runs commands with bad input: one error line, the right status, in time."""

import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from clean_environment import WITHOUT_PROFILE  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "libam/include/am"
PROGRAMS = {}


def main():
    """NAME=FILE for each program, then the arguments of unittest."""
    words = sys.argv[1:]
    PROGRAMS.update(word.split("=", 1) for word in words if "=" in word)
    unittest.main(argv=sys.argv[:1] + [word for word in words if "=" not in word],
                  module="__main__")


def run(program, *args, env=None, **settings):
    """Runs to the end. A word that names one of PROGRAMS stands for that program."""
    command = [PROGRAMS.get(str(word), str(word)) for word in (program, *args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=50, errors="replace",
                          stdin=subprocess.DEVNULL, env={**WITHOUT_PROFILE, **(env or {})},
                          **settings)


def functions_of(header):
    """The functions that a header declares with AM_API."""
    text = re.sub(r"/\*.*?\*/", "", (INCLUDE / header).read_text(), flags=re.S)
    return set(re.findall(r"^AM_API [^;(]*?\b(am_\w+)\(", text, re.M))


class Case(unittest.TestCase):
    def check_line(self, done, status, pattern):
        """Checks its status, and that standard error is exactly one line."""
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, rf"\A{pattern}\n\Z")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
