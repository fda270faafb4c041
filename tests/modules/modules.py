#!/usr/bin/env python3
"""Third-party modules: found by their name in AM_TRANSPORT, used after built-in transports, and
refused with one line; and that the sample detects bytes which no libam has sent.

usage: modules.py PIPE.SO am-run am-info hello test-stranger
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from clean_environment import WITHOUT_PROFILE  # noqa: E402

PIPE, RUN, INFO, HELLO, STRANGER = sys.argv[1:6]
FOLDER = str(pathlib.Path(PIPE).parent)


def run(*command, **settings):
    return subprocess.run(command, capture_output=True, text=True, timeout=30,
                          env={**WITHOUT_PROFILE, **settings})


def by(transport, *command, path=FOLDER, **more):
    return run(*command, AM_TRANSPORT=transport, AM_MODULE_PATH=str(path), **more)


class Modules(unittest.TestCase):
    def test_a_named_module_is_used(self):
        done = by("^self,pipe", INFO, "--transports")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\npipe +0 +can be used\n")
        self.assertRegex(done.stdout, r"\n0 +itself +pipe\b")

    def test_built_in_transports_come_first(self):
        done = by("pipe", INFO, "--transports")
        self.assertRegex(done.stdout, r"\npipe +0 +can be used\n")
        self.assertRegex(done.stdout, r"\n0 +itself +self\b")

    def test_a_module_that_is_not_named_is_ignored(self):
        for transport in ("", "self", "^pipe", "^pipe,shm"):
            with self.subTest(transport=transport):
                done = by(transport, INFO, "--transports")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("pipe ", done.stdout)

    def test_without_its_module_nothing_is_started(self):
        with tempfile.TemporaryDirectory() as empty:
            for launcher in ([RUN, "-n", "2"], []):
                done = by("self,pipe", *launcher, HELLO, path=empty)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, rf"\A\S+: AM_TRANSPORT=self,pipe: there is no transport "
                                 rf"\"pipe\"; .*; there is no pipe\.so in {empty}, .*\n\Z")

    def test_a_name_cannot_name_another_folder(self):
        inside = pathlib.Path(FOLDER).name
        for name in (f"../{inside}/pipe", "./pipe", "PIPE", "pipe.so", "", "p" * 33):
            with self.subTest(name=name):
                done = by(f"^self,{name}", RUN, "-n", "1", HELLO)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"; a module's name is of at most 32 small letters, "
                                 r"digits, _ and -\n\Z")

    def test_a_module_that_cannot_be_loaded_is_reported_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "pipe.so").write_text("no module\n")
            done = by("^self,pipe", INFO, "--transports", path=folder)
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stdout, rf"\npipe +0 +no: cannot load it: {folder}/pipe\.so: ")

    def test_a_privileged_program_loads_modules_of_the_installation_only(self):
        with tempfile.TemporaryDirectory() as folder:
            if os.geteuid() != 0 or os.statvfs(folder).f_flag & os.ST_NOSUID:
                self.skipTest("needs root and a file system that gives rights")
            os.chmod(folder, 0o755)
            program = shutil.copy(RUN, folder)
            os.chown(program, 65534, 65534)
            os.chmod(program, 0o4755)
            done = by("^self,pipe", program, "-n", "1", HELLO)
            # Such a program cannot be traced, nor read its sanitizer's options: a leak check at its end
            # changes its status 2.
            self.assertNotEqual(done.returncode, 0, done.stderr)
            self.assertIn("; there is no pipe.so in ", done.stderr)
            self.assertNotIn(FOLDER, done.stderr)

    def test_foreign_bytes_end_the_job(self):
        for what in ("unsent", "long"):
            with self.subTest(what=what):
                done = by("^self,pipe", RUN, "-n", "1", STRANGER, what)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("am[0]: error: rank 0 is lost: its pipe has delivered what no rank has sent\n",
                              done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
