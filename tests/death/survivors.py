#!/usr/bin/env python3
"""One rank dies, in several ways; the others are notified, continue, close and return 0."""

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
        self.before = harness.leftovers()

    def check(self, scenario, ranks=3, survive=2, status=137, first="SIGKILL", later=0, also="^$",
              **env):
        done = run("-n", ranks, harness.MEMBER, scenario,
                   env={"AM_ON_PEER_DEATH": "callback", **env})
        output = done.stdout + done.stderr
        self.assertEqual(done.returncode, status, output)
        self.assertEqual(done.stdout, "survived\n" * survive, output)
        # With few credits a dialled job says that floods need more.
        lines = [line for line in done.stderr.splitlines()
                 if not line.startswith("in ") and "AM_DIAL: with L=" not in line]
        own = [line for line in lines if line.startswith("am-run: ")]
        self.assertRegex("\n".join(own), rf"^am-run: rank 1 \(pid \d+, host \S+\) died "
                         rf"first: {first}(\nam-run: rank \d+ \(.*\) died, too: SIGKILL){{{later}}}$")
        for line in lines:
            self.assertTrue(line in own or re.search(also, line), output)
        self.assertTrue(harness.nothing_left_since(self.before), harness.leftovers())

    def test_each_survivor_is_notified_in_every_wait_mode(self):
        for wait in WAITS:
            with self.subTest(AM_WAIT=wait):
                self.check("waiting", AM_WAIT=wait)

    def test_in_the_program_s_event_loop(self):
        self.check("looping")

    def test_with_one_credit_and_two_slots(self):
        self.check("waiting", AM_WAIT="block", AM_CREDITS="1", AM_SHM_SLOTS="2")

    def test_many_ranks(self):
        self.check("waiting", ranks=16, survive=15)

    def test_an_exit_without_leaving(self):
        self.check("exiting", status=1, first="it ended without closing its endpoint")

    def test_an_abandoned_endpoint(self):
        self.check("abandoning", status=1, first="it gave up its endpoint without closing "
                   "it, and others are in the job")

    def test_a_second_death(self):
        self.check("two", survive=1, later=1)

    def test_while_all_others_leave_or_fence(self):
        for wait in WAITS:
            self.check("leaving", AM_WAIT=wait)
            self.check("fencing", AM_WAIT=wait)

    def test_an_abort_ends_the_job_all_the_same(self):
        self.check("aborting", survive=0)

    def test_its_messages_are_handled_first(self):
        self.check("sending_before")

    def test_answers_to_it_are_dropped(self):
        for bulk in ("auto", "cma"):
            self.check("answering", AM_SHM_BULK=bulk)
            self.check("answering", AM_SHM_BULK=bulk, LIBAM_TEST_AFTER_AN_ANSWER="1")

    def test_waits_for_its_credits_or_room_end(self):
        for wait in WAITS:
            self.check("credits", AM_WAIT=wait)
            self.check("room", AM_WAIT=wait)
        self.check("credits", AM_CREDITS="1")
        self.check("credits", AM_SHM_SLOTS="2")

    def test_every_call_fails(self):
        self.check("calls")
        self.check("calls", AM_SHM_BULK="fragments")

    def test_bulk_data_in_messages_returns(self):
        self.check("bulk", AM_SHM_BULK="fragments")

    def test_during_a_copy(self):
        for bulk in ("map", "cma", "fragments"):
            for scenario in ("copying", "copied_to", "copied_from"):
                with self.subTest(scenario=scenario, AM_SHM_BULK=bulk):
                    self.check(scenario, AM_SHM_BULK=bulk)

    def test_a_rank_without_undeliverable_handler_ends_the_job(self):
        self.check("without_handler", survive=0, also=r"am\[\d\]: error: a message between .*peer.dead")

    def test_collectives_with_a_dead_member(self):
        for wait in ("auto", "block"):
            for call in COLLECTIVES:
                with self.subTest(call=call, AM_WAIT=wait):
                    self.check(call, ranks=5, survive=4, AM_WAIT=wait)

    def test_without_the_setting_a_death_ends_the_job(self):
        self.check("waiting", survive=0, AM_ON_PEER_DEATH="abort")

    def test_a_stopped_rank_has_not_died(self):
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
