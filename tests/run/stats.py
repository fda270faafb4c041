#!/usr/bin/env python3
"""AM_STATS: a line of JSON for each rank when it leaves, and one error line where that is
impossible."""

import json
import os
import tempfile
import unittest

import harness
from harness import run


class Stats(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "stats.json")
        self.open = set()

    def tearDown(self):
        self.folder.cleanup()

    def lines(self, text):
        return sorted((json.loads(line) for line in text.splitlines()), key=lambda x: x["rank"])

    def test_each_rank_adds_a_line_and_the_sums_agree(self):
        done = run("-n", 3, os.path.join(os.path.dirname(harness.HELLO), "stress"), "--seconds", "0.2", env={"AM_STATS": self.file})
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.file, encoding="utf-8") as file:
            ranks = self.lines(file.read())
        self.assertEqual([r["rank"] for r in ranks], [0, 1, 2])
        for r in ranks:
            self.assertEqual(r["schema"], "am-stats/1")
            self.assertEqual(r["ranks"], 3)
            for name, sum_of_all in r["all"].items():
                self.assertEqual(sum_of_all, sum(p[name] for p in r["peers"]), name)
            self.assertGreaterEqual(r["polls"], r["empty_polls"])
        # What one rank has sent, another has handled; each rank has run a handler for both.
        self.assertEqual(sum(r["all"]["requests"] for r in ranks),
                         sum(r["all"]["handled"] for r in ranks))
        self.assertEqual(sum(r["all"]["handled"] + r["all"]["answers"] for r in ranks),
                         sum(h["runs"] for r in ranks for h in r["handlers"]))
        sent = {(r["rank"], p["rank"]): p["requests"] for r in ranks for p in r["peers"]}
        handled = {(p["rank"], r["rank"]): p["handled"] for r in ranks for p in r["peers"]}
        self.assertEqual(sent, handled)

    def test_a_second_job_adds_its_lines(self):
        for _ in range(2):
            run("-n", 2, harness.HELLO, env={"AM_STATS": self.file})
        with open(self.file, encoding="utf-8") as file:
            self.assertEqual([r["rank"] for r in self.lines(file.read())], [0, 0, 1, 1])

    def test_a_dash_is_standard_error(self):
        done = run("-n", 2, harness.HELLO, env={"AM_STATS": "-"})
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(self.lines(done.stderr)), 2)
        self.assertEqual(len(done.stdout.splitlines()), 2)

    def test_unwritable_files_are_reported_at_the_join(self):
        done = run("-n", 2, harness.HELLO, env={"AM_STATS": "/nowhere/stats"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("hello: AM_STATS=/nowhere/stats: No such file or directory\n", done.stderr)
        self.assertNotIn("terminate", done.stderr)

    def test_a_full_disk_loses_counters_with_a_warning(self):
        done = run("-n", 2, harness.HELLO, env={"AM_STATS": "/dev/full"})
        self.assertEqual(done.returncode, 0)
        self.assertIn("AM_STATS=/dev/full: the counters are lost: No space left on device",
                      done.stderr)


    def make_fifo(self):
        os.mkfifo(self.file)
        return self.file

    def open_to_read(self):
        """Without waiting for a writer."""
        reader = os.open(self.file, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(lambda: os.close(reader) if reader in self.open else None)
        self.open.add(reader)
        return reader

    def close(self, reader):
        self.open.remove(reader)
        os.close(reader)

    def test_a_fifo_without_reader_is_reported_at_the_join(self):
        done = run("-n", 2, harness.HELLO, env={"AM_STATS": self.make_fifo()})
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"hello: AM_STATS={self.file}: no process reads this FIFO: ", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_fifo_with_reader_gets_the_lines(self):
        self.make_fifo()
        reader = self.open_to_read()
        done = run("-n", 2, harness.HELLO, env={"AM_STATS": self.file})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([r["rank"] for r in self.lines(os.read(reader, 1 << 16).decode())], [0, 1])

    def test_a_reader_that_closes_loses_counters_and_no_rank(self):
        self.make_fifo()
        reader = self.open_to_read()
        job = harness.start("-n", 1, harness.OTHERS["stress"], "--seconds", 1,
                            env={**os.environ, "AM_STATS": self.file})
        self.addCleanup(harness.finish, job)
        self.assertTrue(harness.wait_until(lambda: has_writer(reader)))
        self.close(reader)
        _, errors = job.communicate(timeout=50)
        self.assertEqual(job.returncode, 0, errors)
        self.assertIn(f"AM_STATS={self.file}: the counters are lost: Broken pipe", errors)

    def test_a_stopped_reader_blocks_no_rank_forever(self):
        self.make_fifo()
        self.open_to_read()
        writer = os.open(self.file, os.O_WRONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, writer)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(writer, bytes(4096))
        done = run("-n", 1, harness.HELLO, env={"AM_STATS": self.file})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"AM_STATS={self.file}: the counters are lost: no process has read for 5 s",
                      done.stderr)


def has_writer(reader):
    """Whether it has a writer: reads would block, instead of returning an end."""
    try:
        return os.read(reader, 1) != b""
    except BlockingIOError:
        return True


if __name__ == "__main__":
    harness.main()
