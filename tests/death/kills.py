#!/usr/bin/env python3
"""Kills, crashes or stops a rank at random points of traffic; the survivors account for every
request (traffic.cpp). The seed of a kill that shows a fault is printed: LIBAM_TEST_SEED runs only
that one."""

import os
import random
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "run"))
import harness
from harness import run

MOST = 200000  # request_log::most
SETTINGS = ({}, {"AM_CREDITS": "1"}, {"AM_SHM_SLOTS": "2"}, {"AM_WAIT": "block"},
            {"AM_WAIT": "spin"}, {"AM_CREDITS": "7", "AM_SHM_SLOTS": "16"})
ENDS = (signal.SIGKILL, signal.SIGKILL, signal.SIGABRT, signal.SIGSTOP)


def kill_one(seed):
    """What is wrong, or an empty text."""
    chosen = random.Random(seed)
    ranks = chosen.randint(2, 5)
    env = {"AM_ON_PEER_DEATH": "callback", **chosen.choice(SETTINGS)}
    end = chosen.choice(ENDS)
    death = signal.SIGKILL if end == signal.SIGSTOP else end
    with tempfile.NamedTemporaryFile() as log_file:
        log_file.truncate(ranks * ranks * MOST)
        # The third program of the command line is that of traffic.cpp.
        done = run("-n", ranks, harness.HELLO, seed, chosen.randrange(ranks), log_file.name,
                   int(end), env=env)
    own = [line for line in done.stderr.splitlines() if line.startswith("am-run: ")]
    good = (done.returncode == 128 + death and len(own) == 1
            and own[0].endswith(f" died first: {death.name}")
            and done.stderr == own[0] + "\n" and done.stdout.count("to the dead: ") == ranks - 1)
    return "" if good else f"seed {seed}, {ranks} ranks, {end.name}, {env}: {done.returncode}\n" + \
        done.stdout + done.stderr


class Kills(unittest.TestCase):
    def test_every_request_is_accounted_for(self):
        before = harness.leftovers()
        seed = os.environ.get("LIBAM_TEST_SEED")
        many = 500 if os.environ.get("LIBAM_TEST_LONG") else 50
        first = random.SystemRandom().randrange(1 << 20)
        seeds = [int(seed)] if seed else range(first, first + many)
        print("seeds", seeds[0], "to", seeds[-1], file=sys.stderr)
        wrong = list(filter(None, map(kill_one, seeds)))
        self.assertEqual(wrong, [], "\n".join(wrong))
        self.assertTrue(harness.nothing_left_since(before), harness.leftovers())

    def test_stopped_and_continued_ranks_lose_nothing(self):
        chosen = random.Random()
        job = harness.start("-n", 4, harness.OTHERS["stress"], "--seconds", "2")
        harness.wait_until(lambda: len(children_of(job.pid)) == 4)
        ranks = children_of(job.pid)
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            some = chosen.sample(ranks, chosen.randint(1, 3))
            for how in (signal.SIGSTOP, signal.SIGCONT):
                for rank in some:
                    os.kill(rank, how)
                time.sleep(chosen.uniform(0.001, 0.05))
        output, errors = job.communicate(timeout=50)
        self.assertRegex(output, r" 0 lost\n$", errors)
        self.assertEqual((job.returncode, errors), (0, ""))


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return list(map(int, file.read().split()))


if __name__ == "__main__":
    harness.main()
