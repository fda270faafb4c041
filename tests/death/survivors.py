#!/usr/bin/env python3
"""One rank dies, in one way or another; the others hear of it, go on, close and return 0."""

import os
import re
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "run"))
import harness
from harness import alive, read_pids, run, start, wait_until

WAITS = ("auto", "block", "spin", "yield")
COLLECTIVES = ("barrier", "broadcast", "reduce", "all_reduce", "scan", "all_gather", "all_to_all",
               "split", "am_ep_barrier", "am_ep_broadcast", "am_ep_all_reduce", "late am_ep_barrier",
               "late am_ep_broadcast", "late am_ep_all_reduce")


class Survivors(unittest.TestCase):
    def setUp(self):
        self.before = harness.left_behind()

    def check(self, way, ranks=3, survive=2, status=137, first="SIGKILL", later=0, also="^$",
              **env):
        done = run("-n", ranks, harness.MEMBER, way,
                   env={"AM_ON_PEER_DEATH": "callback", **env})
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, status, said)
        self.assertEqual(done.stdout, "survived\n" * survive, said)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("in ")]
        own = [line for line in lines if line.startswith("am-run: ")]
        self.assertRegex("\n".join(own), rf"^am-run: rank 1 \(pid \d+, host \S+\) died "
                         rf"first: {first}(\nam-run: rank \d+ \(.*\) died, too: SIGKILL){{{later}}}$")
        for line in lines:
            self.assertTrue(line in own or re.search(also, line), said)
        self.assertTrue(harness.leaves_nothing(self.before), harness.left_behind())

    def test_each_survivor_hears_of_it_however_it_waits(self):
        for wait in WAITS:
            with self.subTest(AM_WAIT=wait):
                self.check("waiting", AM_WAIT=wait)

    def test_in_another_event_loop_too(self):
        self.check("looping")

    def test_and_where_nobody_can_pass_barriers_or_there_is_one_credit(self):
        self.check("waiting", AM_WAIT="block", AM_CREDITS="1", AM_SHM_SLOTS="2")

    def test_of_many(self):
        self.check("waiting", ranks=16, survive=15)

    def test_an_exit_without_leaving(self):
        self.check("exiting", status=1, first="left: it ended without closing its endpoint")

    def test_an_abandoned_endpoint(self):
        self.check("abandoning", status=1, first="left: it gave up its endpoint without closing "
                   "it, and others are in the job")

    def test_a_second_death(self):
        self.check("two", survive=1, later=1)

    def test_while_all_others_leave_or_meet(self):
        for wait in WAITS:
            self.check("leaving", AM_WAIT=wait)
            self.check("fencing", AM_WAIT=wait)

    def test_an_abort_ends_the_job_all_the_same(self):
        self.check("aborting", survive=0)

    def test_what_it_had_sent_is_handled_first(self):
        self.check("last_words")

    def test_what_it_had_asked_for_is_answered_to_nobody(self):
        for bulk in ("auto", "cma"):
            self.check("answering", AM_SHM_BULK=bulk)
            self.check("answering", AM_SHM_BULK=bulk, LIBAM_TEST_ASKED_BEFORE="1")

    def test_who_waits_for_its_credits_or_room_waits_no_longer(self):
        for wait in WAITS:
            self.check("credits", AM_WAIT=wait)
            self.check("room", AM_WAIT=wait)
        self.check("credits", AM_CREDITS="1")
        self.check("credits", AM_SHM_SLOTS="2")

    def test_every_call_says_so(self):
        self.check("calls")
        self.check("calls", AM_SHM_BULK="fragments")

    def test_bulk_data_in_messages_comes_back(self):
        self.check("bulk", AM_SHM_BULK="fragments")

    def test_in_the_middle_of_a_copy(self):
        for bulk in ("map", "cma", "fragments"):
            for way in ("copying", "copied_to", "copied_from"):
                with self.subTest(way=way, AM_SHM_BULK=bulk):
                    self.check(way, AM_SHM_BULK=bulk)

    def test_who_takes_nothing_back_ends_the_job(self):
        self.check("unheard", survive=0, also=r"am\[\d\]: error: a message for .*peer.dead")

    def test_collectives_with_a_dead_member(self):
        for wait in ("auto", "block"):
            for call in COLLECTIVES:
                with self.subTest(call=call, AM_WAIT=wait):
                    self.check(call, ranks=5, survive=4, AM_WAIT=wait)

    def test_without_the_setting_a_death_ends_the_job(self):
        self.check("waiting", survive=0, AM_ON_PEER_DEATH="abort")

    def test_who_is_stopped_has_not_died(self):
        job = start("-n", 3, harness.MEMBER, "stopping",
                    env={**os.environ, "AM_ON_PEER_DEATH": "callback"})
        stopped = []

        def one_is_stopped():
            stopped.extend(p for p in pids if state(p) == "T")
            return stopped

        pids = read_pids(job.stderr, 3)
        self.assertTrue(wait_until(one_is_stopped))
        self.assertFalse(wait_until(lambda: job.poll() is not None, 0.5))
        self.assertTrue(all(map(alive, pids)))
        os.kill(stopped[0], signal.SIGCONT)
        out, errors = job.communicate(timeout=30)
        self.assertEqual((job.returncode, out), (0, "survived\n" * 3), errors)


def state(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0]


if __name__ == "__main__":
    harness.main()
