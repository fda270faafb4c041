#!/usr/bin/env python3
"""Waits without progress: the warnings of a rank, and what am-info reads of it from outside."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

AM_RUN, AM_INFO, STALLED, HELLO, NONSENSE = sys.argv[1:6]
TIME_LIMIT = 100  # seconds; nothing here should take ten
MODULES = pathlib.Path(AM_INFO).parents[1] / "lib/am"


def am_info(*args):
    return subprocess.run([AM_INFO, *map(str, args)], capture_output=True, text=True,
                          errors="replace", timeout=TIME_LIMIT)


class Job:
    """The five ranks of stalled.cpp, from the moment when all three unresponsive ranks are
    reported."""

    def __init__(self, greeted, **settings):
        self.greeted, self.settings = greeted, settings

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.go = os.path.join(self.folder.name, "go")
        os.mkfifo(self.go)
        self.pids, self.lines = {}, []
        self.run = subprocess.Popen([AM_RUN, "-n", "5", STALLED, self.go, *self.greeted],
                                    stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                                    env={**os.environ, "AM_STALL_WARN": "1", "AM_CREDITS": "1",
                                         **self.settings})
        self.alarm = threading.Timer(TIME_LIMIT, self.run.kill)
        self.alarm.start()
        while len(self.stalls()) < 3:
            line = self.run.stderr.readline()
            if not line:
                break
            self.lines.append(line)
            if named := re.match(r"rank (\d) is (\d+)", line):
                self.pids[int(named[1])] = int(named[2])
        return self

    def stalls(self):
        return [line for line in self.lines if "stall:" in line]

    def resume(self):
        opened = os.open(self.go, os.O_RDWR)  # never waits for readers, and also releases late ones
        os.kill(self.pids[3], signal.SIGCONT)
        self.lines += self.run.stderr.readlines()
        os.close(opened)
        return self.run.wait(TIME_LIMIT)

    def __exit__(self, *unused):
        self.alarm.cancel()
        self.run.kill()
        self.run.wait()
        self.run.stderr.close()
        self.folder.cleanup()


class Stalls(unittest.TestCase):
    # Where ranks share memory the target's state shows what it has begun, and the kernel knows its
    # process.
    TRANSPORT, SETTINGS, GREETED = "shm", {}, []
    NOT_BEGUN = False, "not begun,", "not begun there"
    BEGUN = True, "which has begun,", "begun there"
    ABOUT_SLEEPER, ABOUT_STOPPED = r"pid {1} sleeps", r"pid {3} is stopped"

    @classmethod
    def setUpClass(cls):
        cls.maxDiff = None
        cls.began = time.monotonic()
        with Job(cls.GREETED, AM_TRANSPORT=cls.TRANSPORT, **cls.SETTINGS) as job:
            cls.pids = job.pids
            cls.asker = am_info("--json", job.pids[0])
            cls.asker_text = am_info(job.pids[0])
            cls.handler = am_info("--json", job.pids[2])
            cls.stopped = am_info("--json", job.pids[3])
            cls.waiting = am_info("--json", job.pids[4])
            cls.status = job.resume()
            cls.lines = job.lines

    def rank(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        (rank,) = json.loads(done.stdout)["process"]
        return rank

    def one_line_about(self, rank):
        (line,) = [line for line in self.lines if f"from rank {rank} " in line]
        return line

    def about(self, words):
        return f"({words.format(*(self.pids[rank] for rank in range(5)))})"

    def test_each_unresponsive_rank_is_reported_once_by_the_waiting_rank_only(self):
        about = [line for line in self.lines if "stall:" in line]
        self.assertEqual(len(about), 3, self.lines)
        self.assertTrue(all(line.startswith("am[0]: warn: ") for line in about), about)

    def test_am_run_names_the_ranks_that_are_waited_for(self):
        late = f"[ $AM_JOB_RANK = 1 ] && sleep 2; exec {HELLO}"
        done = subprocess.run([AM_RUN, "-n", "3", "sh", "-c", late], capture_output=True, text=True,
                              timeout=TIME_LIMIT, env={**os.environ, "AM_STALL_WARN": "1"})
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "am-run: 2 of 3 ranks have waited for 1 s, in a join, a fence or "
                         "close, for all others; still to come: 1\n")

    def test_a_stall_has_no_effect_on_the_job(self):
        self.assertEqual(self.status, 0, self.lines)

    def test_a_rank_that_computes_has_not_begun(self):
        line = self.one_line_about(1)
        self.assertIn(self.about(self.ABOUT_SLEEPER), line)
        self.assertIn("which owes 1 answers (credits: 1), the oldest to ask(0x3, 0x4, 0x0, 0x0), "
                      + self.NOT_BEGUN[1], line)
        self.assertIn("in a request", line)

    def test_a_handler_that_runs_has_begun(self):
        self.assertIn(f"to ask slowly(0x7, 0x8, 0x0, 0x0), {self.BEGUN[1]}", self.one_line_about(2))

    def test_a_stopped_process_is_reported_as_stopped(self):
        self.assertIn(self.about(self.ABOUT_STOPPED), self.one_line_about(3))

    def test_am_info_shows_what_the_requester_waits_for(self):
        rank = self.rank(self.asker)
        self.assertEqual((rank["rank"], rank["ranks"], rank["pid"]), (0, 5, self.pids[0]))
        self.assertEqual(rank["waits"]["call"], "a request")
        self.assertEqual(rank["waits"]["peer"], 1)
        self.assertGreater(rank["waits"]["seconds"], 1)
        self.assertLess(rank["waits"]["seconds"], time.monotonic() - self.began)
        peers = {peer["rank"]: peer for peer in rank["peers"]}
        for peer in (1, 2, 3):
            self.assertEqual(peers[peer]["transport"], self.TRANSPORT)
            self.assertEqual(peers[peer]["requests"], 1 + len(self.GREETED))
            self.assertEqual((peers[peer]["unanswered"], peers[peer]["credits"]), (1, 1))
            self.assertEqual((peers[peer]["answers"], peers[peer]["answer_bytes"]),
                             (len(self.GREETED), 7 * len(self.GREETED)))
        self.assertEqual(peers[1]["oldest"],
                         {"handler": "ask", "words": [3, 4, 0, 0], "begun": self.NOT_BEGUN[0]})
        self.assertEqual(peers[2]["oldest"],
                         {"handler": "ask slowly", "words": [7, 8, 0, 0], "begun": self.BEGUN[0]})
        self.assertEqual(peers[3]["oldest"],
                         {"handler": "ask", "words": [5, 6, 0, 0], "begun": self.NOT_BEGUN[0]})
        if self.GREETED:
            self.assertNotIn("oldest", peers[4])
        self.assertNotIn("runs", rank)

    def test_am_info_prints_the_same_as_text(self):
        text = self.asker_text.stdout
        self.assertIn("rank 0 of 5: process", text)
        self.assertRegex(text, r"waits in a request to rank 1, for \d+\.\d s")
        self.assertRegex(text, rf"\n +2 {self.TRANSPORT} +{1 + len(self.GREETED)} +1 of 1 +{len(self.GREETED)} +0  "
                         rf"ask slowly\(0x7, 0x8, 0x0, 0x0\), {self.BEGUN[2]}\n")

    def test_am_info_names_the_handler_that_runs(self):
        self.assertEqual(self.rank(self.handler)["runs"], {"handler": "ask slowly", "source": 0})

    def test_am_info_reads_a_stopped_rank(self):
        rank = self.rank(self.stopped)
        self.assertEqual(rank["process"], "is stopped")
        self.assertEqual(rank["polls_in_next_tenth"], 0)
        self.assertNotIn("waits", rank)

    def test_a_rank_without_pending_requests_is_not_reported(self):
        self.assertEqual(self.rank(self.waiting)["waits"]["call"], "wait")


@unittest.skipUnless((MODULES / "tcp.so").exists(), "tcp is not built")
class OverTcp(Stalls):
    TRANSPORT, GREETED = "tcp", ["greeted"]
    NOT_BEGUN = BEGUN = None, "which may have begun,", "may have begun there"
    ABOUT_SLEEPER = ABOUT_STOPPED = "it is connected"


@unittest.skipUnless((MODULES / "ucx.so").exists(), "ucx is not built")
class OverUcx(OverTcp):
    TRANSPORT, SETTINGS = "ucx", {"UCX_TLS": "posix,cma,self"}
    ABOUT_SLEEPER = ABOUT_STOPPED = "its route is open"


class InvalidMemory(unittest.TestCase):
    def test_invalid_memory_is_read_with_a_limit(self):
        with subprocess.Popen([NONSENSE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            for words in (["--json"], []):
                done = am_info(*words, process.pid)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(len(json.loads(done.stdout)["process"]) if words
                                 else done.stdout.count(f": process {process.pid}, which"), 16)
                self.assertNotRegex(done.stdout, r"[\x00-\x09\x0b-\x1f\x7f]")
            process.stdin.close()


class NotARank(unittest.TestCase):
    def refused(self, pid, words):
        done = am_info(pid)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, f"^am-info: {words}\n$")

    def test_no_process(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        self.refused(ended.pid, f"there is no process {ended.pid}")

    def test_a_process_without_libam(self):
        self.refused(os.getpid(), f"process {os.getpid()} does not use libam")

    def test_a_process_without_a_job(self):
        waiting = subprocess.Popen([AM_RUN, "-n", "1", "sleep", "100"], stdin=subprocess.DEVNULL)
        try:
            self.refused(waiting.pid, f"process {waiting.pid} is in no job: .*")
        finally:
            waiting.kill()
            waiting.wait()

    def test_not_a_number(self):
        done = am_info("rank-3")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^am-info: .*rank-3.*\n$")


unittest.main(argv=sys.argv[:1] + sys.argv[6:])
