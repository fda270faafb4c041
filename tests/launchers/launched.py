"""The tests for every launcher, whatever its command line is: a mixin for test cases that know how
to start N processes."""

import os
import pathlib
import re
import subprocess
import sys

import harness

ON_CI = "LIBAM_TEST_CI" in os.environ
THOROUGH = ON_CI or "LIBAM_TEST_LONG" in os.environ
GREETINGS = sorted(f"hello from rank {rank} of 4" for rank in range(4))


def skip_or_fail(why):
    """Skips: this machine lacks what the tests need; CI must not."""
    print(why)
    sys.exit(1 if ON_CI else 77)


def member(*what):
    """Shell words for am_run_member, which takes its rank from am-run."""
    return "sh", "-c", f"AM_JOB_RANK=$PMIX_RANK exec {harness.MEMBER} {' '.join(map(str, what))}"


def programs(number):
    """Shell words for programs that join one after the other; rank 1 stays after it has left."""
    return "sh", "-c", (f"export AM_JOB_RANK=$PMIX_RANK; for i in $(seq {number}); do "
                        f"{harness.MEMBER} linger 1 || exit; done")


NO_FOLDER = "[ $PMIX_RANK = 1 ] && export PMIX_SERVER_TMPDIR=/nowhere;"


class Launched:
    def launched(self, ranks, *command, **settings):
        """Runs to the end; its output, errors and returncode, within a time limit."""
        env = {**os.environ, **self.environment, **settings.pop("env", {})}
        return subprocess.run([*self.launcher, "-n", str(ranks), *settings.pop("options", ()), *command],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100,
                              env=env, **settings)

    def output_of(self, done):
        return f"status {done.returncode}\n{done.stdout}{done.stderr}"

    def good(self, ranks, *command, **settings):
        done = self.launched(ranks, *command, **settings)
        self.assertEqual(done.returncode, 0, self.output_of(done))
        self.assertNotRegex(done.stderr, r"am\[\d+\]: ", self.output_of(done))
        return done

    def refused(self, line, ranks, *command, **settings):
        done = self.launched(ranks, *(command or (harness.HELLO,)), **settings)
        self.assertNotEqual(done.returncode, 0, self.output_of(done))
        self.assertRegex(done.stderr, r"cannot join the job: join: [^\n]*" + line, self.output_of(done))
        self.assertNotIn("hello", done.stdout)
        return done

    def tearDown(self):
        self.assertTrue(harness.nothing_left_since(self.before), harness.leftovers())

    def setUp(self):
        self.before = harness.leftovers()

    def test_all_launchers_print_the_same_greetings(self):
        program = harness.OTHERS.get("hello", harness.HELLO)
        for done in (self.good(4, program), harness.run("-n", 4, program)):
            self.assertEqual(sorted(done.stdout.splitlines()), GREETINGS)
        alone = subprocess.run([program], capture_output=True, text=True, timeout=50)
        self.assertEqual(alone.stdout, "hello from rank 0 of 1\n")
        self.assertEqual(self.good(1, program).stdout, alone.stdout)

    def test_messages(self):
        for settings in ({}, {"AM_WAIT": "block"}, {"AM_TRANSPORT": "tcp"}):
            with self.subTest(**settings):
                done = self.good(3, harness.OTHERS["stress"], "--seconds", "1", env=settings)
                self.assertRegex(done.stdout, r"^stress: (\d+) requests, \1 handled, 0 lost\n$")

    def test_ranks_are_connected_by_shared_memory(self):
        self.good(4, harness.OTHERS["stress"], "--seconds", "0.2", env={"AM_TRANSPORT": "shm"})

    def test_conformance(self):
        done = self.good(3, harness.OTHERS["test-conformance"], "40")
        self.assertRegex(done.stderr, r"conformance: 3 ranks, \d\d+ cases, \d+ skipped, 0 failed")

    def test_blobs(self):
        # Only the last rank to enter a fence may wake the others.
        done = self.good(3, harness.OTHERS["am_launchers_blobs"],
                         env={"AM_STALL_WARN": "0", "AM_WAIT": "block"})
        self.assertEqual(done.stdout, "all blobs are there\n" * 3)

    def test_joining_and_leaving_again_and_again(self):
        done = self.good(3, *member("again", 5))
        self.assertEqual(len(re.findall(r"^in \d+$", done.stderr, re.M)), 15)

    def test_joining_again_without_the_folder_that_counts_joins(self):
        again = f"exec {harness.MEMBER} again 3"
        for ranks in (NO_FOLDER, "export PMIX_SERVER_TMPDIR=/nowhere;", "unset PMIX_SERVER_TMPDIR;"):
            with self.subTest(ranks=ranks):
                done = self.good(3, "sh", "-c", f"{ranks} {again}")
                self.assertEqual(len(re.findall(r"^in \d+$", done.stderr, re.M)), 9)

    def test_programs_join_one_after_the_other(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                done = self.good(ranks, *programs(4))
                self.assertEqual(len(re.findall(r"^in \d+$", done.stderr, re.M)), 4 * ranks)

    def test_a_program_whose_join_does_not_count_ends_the_job(self):
        program = harness.OTHERS.get("hello", harness.HELLO)
        done = self.launched(3, "sh", "-c", f"{NO_FOLDER} {program}; {program} || sleep 200")
        self.assertNotEqual(done.returncode, 0, self.output_of(done))
        self.assertRegex(done.stderr, r"join: (rank 1 has not come to this join: does its process "
                         r"see|a program has been rank \d of this job before, and mpirun without) "
                         r"the folder PMIX_SERVER_TMPDIR", self.output_of(done))

    def test_the_status_of_abort_is_that_of_the_launcher(self):
        done = self.launched(3, *member("abort", 1, 7))
        self.assertEqual(done.returncode, 7, self.output_of(done))
        self.assertIn("last words", done.stdout)

    def test_a_rank_that_is_killed_ends_the_job(self):
        done = self.launched(3, *member("kill", 1))
        self.assertEqual(done.returncode, 137, self.output_of(done))

    def test_a_rank_that_ends_without_leaving_ends_the_job(self):
        for how in ("exit", "std-exit"):
            with self.subTest(how=how):
                done = self.launched(3, *member(how, 1))
                self.assertNotEqual(done.returncode, 0, self.output_of(done))

    def test_a_rank_that_abandons_its_endpoint_ends_the_job_with_a_reason(self):
        for how in ("throw", "abandon"):
            with self.subTest(how=how):
                done = self.launched(3, *member(how, 1))
                self.assertEqual(done.returncode, 1, self.output_of(done))
                self.assertIn("am[1]: error: this rank has given up its endpoint: the job ends",
                              done.stderr)

    def test_a_late_rank_is_reported(self):
        program = harness.OTHERS["am_launchers_blobs"]
        script = f"[ $PMIX_RANK = 1 ] && exec {program} late; exec {program}"
        done = self.launched(3, "sh", "-c", script, env={"AM_STALL_WARN": "1"})
        self.assertEqual(done.returncode, 0, self.output_of(done))
        self.assertIn("am[0]: warn: 2 of 3 ranks have waited for 1 s, in a fence or close, for all "
                      "others; still to come: 1\n", done.stderr)

    def test_an_endpoint_closed_by_exit_has_left(self):
        self.good(3, *member("static-exit", 1))

    def test_AM_BOOTSTRAP(self):
        done = self.good(2, harness.HELLO, env={"AM_BOOTSTRAP": "alone"})
        self.assertEqual(done.stdout, "hello from rank 0 of 1\n" * 2)
        done = self.good(2, harness.HELLO, env={"AM_BOOTSTRAP": "pmix"})
        self.assertEqual(len(done.stdout.splitlines()), 2)
        self.refused("AM_BOOTSTRAP=run, but am-run has not started this process", 2,
                     env={"AM_BOOTSTRAP": "run"})

    def test_an_unknown_setting_is_reported_once(self):
        done = self.launched(3, harness.HELLO, env={"AM_WIAT": "spin"})
        self.assertEqual(done.returncode, 0, self.output_of(done))
        self.assertEqual(done.stderr.count("AM_WIAT: there is no such setting"), 1, self.output_of(done))

    def test_a_job_that_cannot_survive_deaths_reports_it(self):
        done = self.launched(2, harness.HELLO, env={"AM_ON_PEER_DEATH": "callback"})
        self.assertEqual(done.returncode, 0, self.output_of(done))
        self.assertEqual(re.findall(r"am\[\d\]: .*", done.stderr),
                         ["am[0]: warn: AM_ON_PEER_DEATH=callback, but here the launcher ends the "
                          "job when a rank dies: only am-run, and `mpirun --enable-recovery` on one "
                          "host, do not"])


class copied_tree:
    """A copy of library, modules and hello, in which the module is modified."""

    def __init__(self, folder):
        self.program = pathlib.Path(harness.copy_for_everyone(folder, harness.HELLO)[0])
        self.module = self.program.parents[1] / "lib/am/pmix.so"

    def replace(self, text, by):
        whole = self.module.read_bytes()
        assert text in whole and len(text) == len(by)
        self.module.write_bytes(whole.replace(text, by))
