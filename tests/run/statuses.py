#!/usr/bin/env python3
"""What am-run returns, and the one line that it prints when something failed."""

import os
import re
import subprocess
import tempfile
import unittest

import harness
from harness import run, shell

LINE = r"am-run: rank {} \(pid \d+, host \S+\) {}\n"


class Statuses(unittest.TestCase):
    def check(self, done, status, line):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, "(?s)^" + line + "$")

    def test_success_is_0_without_output(self):
        self.check(shell(3, "exit 0"), 0, "")

    def test_the_status_of_the_first_rank_that_failed(self):
        done = shell(4, "[ $AM_JOB_RANK = 2 ] && exit 7; sleep 60")
        self.check(done, 7, LINE.format(2, "died first: exit status 7"))

    def test_a_later_failure_does_not_count(self):
        done = shell(3, 'trap "exit 9" TERM; [ $AM_JOB_RANK = 1 ] && exit 5; sleep 60 & wait')
        self.check(done, 5, LINE.format(1, "died first: exit status 5"))

    def test_a_signal_is_128_and_its_number(self):
        for name, number in (("KILL", 9), ("SEGV", 11), ("TERM", 15)):
            done = shell(3, f"[ $AM_JOB_RANK = 0 ] && kill -{name} $$; sleep 60")
            self.check(done, 128 + number,
                       LINE.format(0, rf"died first: SIG{name}( \(core dumped\))?"))

    def test_a_missing_program_is_127(self):
        self.check(run("-n", 3, "./no-such-program"), 127,
                   "am-run: cannot run ./no-such-program: No such file or directory\n")
        self.check(run("-n", 1, "no-such-program"), 127,
                   "am-run: cannot run no-such-program: No such file or directory\n")

    def test_a_program_that_cannot_be_executed_is_126(self):
        with tempfile.NamedTemporaryFile() as plain:
            self.check(run("-n", 2, plain.name), 126,
                       f"am-run: cannot run {plain.name}: Permission denied\n")
        self.check(run("-n", 2, "/"), 126, "am-run: cannot run /: Is a directory\n")

    def file(self, text):
        """An executable file with these bytes."""
        made = os.path.join(self.folder.name, "file")
        with open(made, "wb") as out:
            out.write(text)
        os.chmod(made, 0o755)
        return made

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def test_scripts_run_as_in_a_shell(self):
        for text in (b"#!/bin/sh\necho ran $1\n", b"echo ran $1\n"):
            done = run("-n", 2, self.file(text), "x")
            self.check(done, 0, "")
            self.assertEqual(done.stdout, "ran x\n" * 2)
        self.check(run("-n", 2, self.file(b"")), 0, "")

    def test_a_file_that_no_shell_could_run_is_126_with_one_line(self):
        self.check(run("-n", 3, self.file(b"#!/no/interpreter\n")), 126,
                   "am-run: cannot run .*: the interpreter named in its first line does not exist\n")
        self.check(run("-n", 3, self.file(b"\x7fELF\0\1\2 of another machine")), 126,
                   "am-run: cannot run .*: Exec format error: a program for another machine\\?\n")

    def test_a_path_through_a_file_and_a_name_that_is_too_long(self):
        self.check(run("-n", 2, self.file(b"x") + "/y"), 127, "am-run: cannot run .*: Not a directory\n")
        self.check(run("-n", 2, "./" + "x" * 300), 126, "am-run: cannot run .*: File name too long\n")

    def test_a_launch_that_the_machine_refuses_is_125(self):
        done = shell(2, "exit 0", preexec_fn=lambda: limit_files(12))
        self.check(done, 125, r"am-run: 2 ranks need \d+ descriptors and 12 are allowed: .*ulimit -n.*\n")

    def test_bad_usage_is_2_with_one_line(self):
        for words in (["-n", "0", "true"], ["-n", "x", "true"], ["-n", "2"], ["true"], [],
                      ["-n", "2", "--nothing", "true"], ["-n", "2", "--bind", "soft", "true"],
                      ["-n", "2", "-x", "NOT_SET_ANYWHERE", "true"],
                      ["-n", "2", "--hosts", "a:0", "true"], ["-n", "2", "--hostfile", "/nowhere/f", "true"]):
            with self.subTest(words=words):
                self.check(run(*words), 2, "am-run: [^\n]*\n")

    def test_a_bad_setting_is_reported_once_before_anything_starts(self):
        done = run("-n", 4, "echo", "started", env={"AM_CREDITS": "x"})
        self.check(done, 2, r"am-run: AM_CREDITS=x: must be 1\.\.4096\n")
        done = run("-n", 4, "--transport", "shn", "echo", "started")
        self.check(done, 2, r"am-run: AM_TRANSPORT=shn: there is no transport \"shn\"; .*\n")
        self.assertEqual(done.stdout, "")

    def test_help_and_version_go_to_standard_output(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("am-run -n 4 ./hello", done.stdout)
        done = run("--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^am-run \d+\.\d+\.\d+ \(git \w+\)\n$")

    def test_options_end_at_the_program(self):
        done = run("-n", 1, "echo", "x", "-n", "5", "--label", "--", "x")
        self.check(done, 0, "")
        self.assertEqual(done.stdout, "x -n 5 --label -- x\n")
        self.assertEqual(run("-n", 1, "--", "echo", "-n", "x").stdout, "x")

    def test_variables_reach_every_rank(self):
        done = shell(2, "echo $A$B$AM_TRANSPORT", "-x", "A=one", "-x", "B", "--transport", "shm",
                     env={"B": "two"})
        self.assertEqual(done.stdout, "onetwoshm\n" * 2)

    def test_a_variable_is_one_word_followed_by_the_program(self):
        for words in (["-x", "SEED=7"], ["-xSEED=7"], ["-x", "A=1", "-x", "SEED=7"], ["-x", "SEED=7", "--"]):
            with self.subTest(words=words):
                done = run("-n", 2, *words, "sh", "-c", "echo $SEED")
                self.check(done, 0, "")
                self.assertEqual(done.stdout, "7\n" * 2)

    def test_ranks_know_their_numbers(self):
        done = shell(3, "echo $AM_JOB_RANK/$AM_JOB_RANKS")
        self.assertEqual(sorted(done.stdout.split()), ["0/3", "1/3", "2/3"])

    def test_ranks_get_the_limits_and_the_signal_mask_am_run_was_started_with(self):
        script = "ulimit -n; grep SigBlk /proc/self/status; grep SigIgn /proc/self/status"
        alone = subprocess.check_output(["sh", "-c", script], text=True)
        self.assertEqual(shell(1, script).stdout, alone)

    def test_check_goes_through_the_stages_without_running(self):
        done = run("-n", 3, "--check", "sh", "-c", "echo ran")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        for stage in ("program", "shared memory", "descriptors", "processes", "binding", "start"):
            self.assertIn(f"am-run: check: {stage}: ", done.stderr)
        self.assertEqual(run("-n", 3, "--check", "no-such-program").returncode, 127)
        self.assertEqual(run("-n", 3, "--check", "/").returncode, 126)

    def test_each_rank_is_bound_to_a_core_if_possible(self):
        cpus = sorted(os.sched_getaffinity(0))
        script = "grep Cpus_allowed_list /proc/self/status"
        bound = shell(len(cpus), script).stdout
        self.assertEqual(sorted(map(int, re.findall(r"\d+$", bound, re.M))), cpus)
        free = shell(len(cpus), script, "--bind", "none").stdout
        self.assertEqual(len(set(free.splitlines())), 1)
        self.assertEqual(shell(len(cpus), script, env={"AM_BIND": "none"}).stdout, free)
        many = shell(len(cpus) + 1, script, "--bind", "core")
        self.assertIn("no rank is bound", many.stderr)
        self.assertEqual(many.returncode, 0)


def limit_files(count):
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


if __name__ == "__main__":
    harness.main()
