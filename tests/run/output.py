#!/usr/bin/env python3
"""What the ranks write comes out whole, whatever its size; rank 0 alone gets the input."""

import os
import re
import subprocess
import tempfile
import time
import unittest

import harness
from harness import run, shell


class Output(unittest.TestCase):
    def test_lines_of_many_ranks_stay_whole(self):
        script = r"""awk -v r=$AM_JOB_RANK 'BEGIN { for (i = 0; i < 20000; ++i)
                     print r, i, "a line that is long enough to be torn somewhere" }'"""
        done = shell(8, script)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        seen = [0] * 8
        for line in done.stdout.splitlines():
            rank, number, rest = line.split(" ", 2)
            self.assertEqual(rest, "a line that is long enough to be torn somewhere")
            self.assertEqual(int(number), seen[int(rank)])
            seen[int(rank)] += 1
        self.assertEqual(seen, [20000] * 8)

    def test_pieces_of_a_line_are_held_until_it_ends(self):
        done = shell(4, "for i in 1 2 3 4 5; do printf $AM_JOB_RANK; sleep 0.05; done; echo")
        self.assertEqual(sorted(done.stdout.splitlines()), [str(r) * 5 for r in range(4)])

    def test_lines_larger_than_any_buffer_stay_whole(self):
        script = r"""head -c 5000000 /dev/zero | tr '\0' $AM_JOB_RANK; echo; echo end"""
        lines = shell(3, script).stdout.splitlines()
        self.assertEqual(sorted(map(len, lines)), [3] * 3 + [5000000] * 3)
        for line in lines:
            self.assertTrue(line == "end" or len(set(line)) == 1)

    def test_lines_of_both_streams_stay_whole_in_one_pipe(self):
        script = r"""awk -v r=$AM_JOB_RANK 'BEGIN { for (n = 9000; n > 0; --n) x = x r
                     for (i = 0; i < 200; ++i) { print x; print x > "/dev/stderr" } }'"""
        job = subprocess.run([harness.AM_RUN, "-n", "3", "sh", "-c", script], text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=50)
        lines = job.stdout.splitlines()
        self.assertEqual(len(lines), 1200)
        self.assertEqual({(len(line), len(set(line))) for line in lines}, {(9000, 1)})

    def test_every_rank_has_its_turn_at_a_slow_reader(self):
        """All but the last of 30 ranks write as fast as they can, more than there is room for."""
        script = r"""[ $AM_JOB_RANK = 29 ] || exec yes $(printf %0100d 1)
                     for i in $(seq 30); do printf '%010000d\n' 7; done; sleep 60"""
        job = harness.start("-n", 30, "sh", "-c", script)
        self.addCleanup(harness.finish, job)
        end = time.monotonic() + 20
        seen = 0
        while seen < 30 and time.monotonic() < end:
            seen += job.stdout.readline().endswith("07\n")
        self.assertEqual(seen, 30)

    def test_labels(self):
        done = shell(3, "echo one; echo; echo two", "--label")
        self.assertEqual(sorted(done.stdout.splitlines()),
                         sorted(f"[{r}] {text}" for r in range(3) for text in ("one", "", "two")))
        done = shell(2, "echo oops >&2", "--label")
        self.assertEqual(sorted(done.stderr.splitlines()), ["[0] oops", "[1] oops"])
        self.assertEqual(shell(1, "echo one", "--label").stdout, "[0] one\n")

    def test_a_last_line_without_newline_is_unchanged(self):
        self.assertEqual(shell(1, "printf tail").stdout, "tail")
        self.assertEqual(shell(2, "[ $AM_JOB_RANK = 0 ] && printf tail || echo line").stdout,
                         "line\ntail")
        self.assertEqual(shell(3, "printf tail$AM_JOB_RANK").stdout, "tail0\ntail1\ntail2")
        self.assertEqual(shell(2, "printf tail", "--label").stdout, "[0] tail\n[1] tail")

    def test_both_streams_are_kept_apart(self):
        done = shell(4, "echo out; echo err >&2")
        self.assertEqual((done.stdout, done.stderr), ("out\n" * 4, "err\n" * 4))

    def test_output_before_a_death_arrives(self):
        done = shell(2, "echo before; [ $AM_JOB_RANK = 1 ] && kill -9 $$; sleep 60")
        self.assertIn("before\n", done.stdout)
        self.assertEqual(done.returncode, 137)

    def test_input_goes_to_rank_0(self):
        done = shell(3, "cat", "--label", text="one\ntwo\n")
        self.assertEqual(done.stdout, "[0] one\n[0] two\n")

    def test_a_single_rank_writes_as_without_am_run(self):
        where = "readlink /proc/self/fd/1"
        with subprocess.Popen([harness.AM_RUN, "-n", "1", "sh", "-c", where],
                              stdout=subprocess.PIPE) as job:
            own = os.readlink(f"/proc/self/fd/{job.stdout.fileno()}")
            self.assertEqual(job.stdout.read().decode().strip(), own)

    def test_a_reader_that_closes_ends_the_job(self):
        begin = time.monotonic()
        line = subprocess.run(f"{harness.AM_RUN} -n 3 yes | head -n 1000 | tail -n 1", shell=True,
                              capture_output=True, text=True, timeout=50)
        self.assertEqual(line.stdout, "y\n")
        self.assertLess(time.monotonic() - begin, 40)

    def test_a_full_disk_ends_the_job_with_one_line(self):
        for command in ("echo x", "yes", "printf x"):
            done = subprocess.run(f"{harness.AM_RUN} -n 3 {command} >/dev/full", shell=True,
                                  capture_output=True, text=True, timeout=50)
            self.assertEqual((done.returncode, done.stderr), (
                1, "am-run: cannot write standard output: No space left on device\n"))

    def test_a_long_line_does_not_block_ranks_that_its_writer_waits_for(self):
        with tempfile.TemporaryDirectory() as folder:
            script = f"""
                cd {folder}; mkfifo fifo 2>/dev/null
                if [ $AM_JOB_RANK = 0 ]; then
                  head -c 2000000 /dev/zero | tr '\\0' a; cat fifo >/dev/null; echo; echo end
                else
                  until [ -p fifo ]; do sleep 0.05; done; sleep 0.5
                  head -c 3000000 /dev/zero | tr '\\0' b; echo; echo done >fifo
                fi"""
            done = shell(2, script, "--label")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("a"), 2000000)
        self.assertEqual(done.stdout.count("b"), 3000000)
        self.assertTrue(all(re.match(r"\[0\] a*$|\[1\] b*$|\[0\] end$", line)
                            for line in done.stdout.splitlines()))

    def test_long_lines_that_never_end_are_lines_of_their_own(self):
        done = shell(3, r"head -c 1500000 /dev/zero | tr '\0' $AM_JOB_RANK", "--label")
        self.assertEqual(sorted(line[:5] for line in done.stdout.splitlines()), ["[0] 0", "[1] 1", "[2] 2"])
        self.assertEqual({len(line) for line in done.stdout.splitlines()}, {1500004})

    def test_labels_of_long_and_unended_lines_of_many_ranks_on_both_streams(self):
        script = r"""for i in 1 2 3; do
              head -c 1500000 /dev/zero | tr '\0' $AM_JOB_RANK; echo
              head -c 100000 /dev/zero | tr '\0' $AM_JOB_RANK >&2; echo >&2
            done; printf $AM_JOB_RANK; printf $AM_JOB_RANK >&2"""
        done = shell(5, script, "--label")
        for text, long in ((done.stdout, 1500000), (done.stderr, 100000)):
            lines = text.splitlines()
            self.assertEqual(len(lines), 20)
            for line in lines:
                label, rank, rest = line[:4], line[1], line[4:]
                self.assertEqual(label, f"[{rank}] ")
                self.assertIn(len(rest), (1, long))
                self.assertEqual(set(rest), {rank})

    def test_own_lines_for_a_closed_reader_delay_no_rank(self):
        # The ranks continue, and then end in a way that makes am-run print a line.
        script = "trap \"\" PIPE; until [ -e gone ]; do echo line >&2; sleep 0.01; done; exec "
        script += f"{harness.MEMBER} fail 0 3"
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                f"{harness.AM_RUN} -n 2 sh -c '{script}' 2>&1 | (head -n 1; exec <&-; "
                "touch gone; sleep 1)", shell=True, cwd=folder, capture_output=True, text=True,
                timeout=50)
        self.assertEqual(done.stdout, "line\n")

    def test_a_slow_reader_gets_everything(self):
        job = harness.start("-n", 2, "sh", "-c", "head -c 8000000 /dev/zero | tr '\\0' '\\n'")
        time.sleep(1.5)
        self.assertEqual(len(job.communicate(timeout=50)[0]), 16000000)
        self.assertEqual(job.returncode, 0)

    def test_a_stopped_reader_does_not_block_signals(self):
        job = harness.start("-n", 2, "yes")
        self.assertTrue(job.stdout.readline())  # then it takes signals
        time.sleep(0.5)
        job.terminate()
        self.assertTrue(harness.wait_until(lambda: b"yes" not in children_of(job.pid), 20))
        job.communicate(timeout=50)
        self.assertEqual(job.returncode, 143)

    def test_closed_streams_are_tolerated(self):
        for streams in (">&- 2>&- <&-", ">&-", "2>&-", "<&-", ">&- <&-"):
            done = subprocess.run(f"{harness.AM_RUN} -n 2 {harness.HELLO} {streams}", shell=True,
                                  timeout=50, capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(len(done.stdout.splitlines()), 0 if ">&-" in streams.replace("2>&-", "") else 2)


def children_of(pid):
    return subprocess.run(["ps", "--ppid", str(pid), "-o", "comm="], capture_output=True).stdout


if __name__ == "__main__":
    harness.main()
