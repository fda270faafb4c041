#!/usr/bin/env python3
"""Ranks, agents and hosts that are lost at random moments of the traffic of jobs over three hosts,
in several clusters at once: the survivors account for every request (tests/death/traffic.cpp), and
a cut for a moment has no effect. The seed of a loss that shows a fault is printed: LIBAM_TEST_SEED
repeats that one.

Over ucx UCX itself may end a survivor: such losses are counted, and must be few."""

import collections
import contextlib
import os
import queue
import random
import re
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import clusters
import in_hosts
import network
from harness import wait_until
from host_jobs import (AGENT_ENDED, RANKS, SILENT, TIMEOUT, TRAFFIC, TRANSPORTS, SurvivingJobs,
                       cluster_up, connections, death, deaths_with, new_log)

LONG = "LIBAM_TEST_LONG" in os.environ
CLUSTERS = 6 if LONG else 4
# How many of a hundred. A rank that is killed takes least: the others wait for AM_PEER_TIMEOUT.
KINDS = {"rank": 40, "agent": 14, "crash": 10, "cut": 9, "in": 8, "out": 8, "moment": 11}
MOMENT = TIMEOUT / 4
# am-run is on h1: where that host is cut off, the others are, in any order.
VICTIMS = {1: "2-5", 2: "2-3", 3: "4-5"}
LOST_IN_ORDER = {1: [(2, 3), (3, 2)], 2: [(2,)], 3: [(3,)]}
# Kills a rank by its number.
KILL_RANK = """for process in $(pgrep -x test-death-traf); do
  grep -qz "^AM_JOB_RANK=$1$" /proc/$process/environ && kill -KILL $process; done"""
UCX_ENDED = re.compile(r"\w+\.c:\d+ +(Assertion|Fatal)|Fatal: ")
OF_JOB = "test-death-traf|am-run"  # names of processes, as the kernel cuts them


class Loss:
    """What a seed determines."""

    def __init__(self, seed):
        drawn = random.Random(seed)
        self.seed = seed
        self.kind = drawn.choices(list(KINDS), list(KINDS.values()))[0]
        self.rank = drawn.randrange(RANKS)
        self.host = drawn.choice((1, 2, 3) if self.kind in ("cut", "in", "out") else (2, 3))
        self.delay = drawn.uniform(0, 0.3)
        self.cut_host = drawn.choice((1, 2, 3))
        self.way = drawn.choice((None, "in", "out"))
        self.seconds = drawn.uniform(0.05, MOMENT - 0.15)

    def victims(self):
        return self.rank if self.kind == "rank" else VICTIMS[self.host]

    def expected(self):
        """The status, am-run's lines, and the number of survivors."""
        if self.kind == "rank":
            return 137, death(self.rank, "first: SIGKILL", f"h{self.rank // 2 + 1}"), RANKS - 1
        why = AGENT_ENDED if self.kind in ("agent", "moment") else SILENT
        orders = LOST_IN_ORDER[self.host]
        return 1, "|".join(deaths_with(each, why) for each in orders), RANKS - 2 * len(orders[0])


class RandomLosses(SurvivingJobs):
    TRANSPORT = "tcp"
    MANY = 1000 if LONG else 8

    def test_every_request_is_accounted_for(self):
        seed = os.environ.get("LIBAM_TEST_SEED")
        first = random.SystemRandom().randrange(1 << 20)
        seeds = [int(seed)] if seed else range(first, first + self.MANY)
        print("seeds", seeds[0], "to", seeds[-1], "over", self.TRANSPORT, file=sys.stderr)
        left = queue.SimpleQueue()
        for each in map(Loss, seeds):
            left.put(each)
        self.done, self.wrong = collections.Counter(), []
        self.repeated, self.ended_by_ucx = 0, 0
        with ThreadPoolExecutor(CLUSTERS) as pool:
            for each in [pool.submit(self.work_off, left) for _ in range(CLUSTERS)]:
                each.result()
        print(dict(self.done), "repeated:", self.repeated, "ended by UCX:", self.ended_by_ucx,
              file=sys.stderr)
        self.assertEqual(self.wrong, [], "\n".join(self.wrong))
        self.assertEqual(self.done.total(), len(seeds))
        self.assertLessEqual(self.ended_by_ucx, len(seeds) / 20)

    def work_off(self, left):
        """In one cluster until it cannot be used again, then in another one."""
        with contextlib.suppress(queue.Empty):
            while True:
                loss = left.get_nowait()
                with cluster_up() as up:
                    while self.cause(up, loss):
                        loss = left.get_nowait()

    def cause(self, up, loss):
        """False: this cluster has lost a host, or is in an unknown state."""
        try:
            while not self.takes_its_course(up, loss):
                self.repeated += 1
        except unittest.SkipTest:
            raise
        except Exception as fault:  # of any kind: the seed has to be printed
            if self.TRANSPORT != "ucx" or not UCX_ENDED.search(str(fault)):
                self.wrong.append(f"seed {loss.seed}: {vars(loss)}: {fault}")
                return False
            self.ended_by_ucx += 1
            self.done[loss.kind] += 1
            return False
        self.done[loss.kind] += 1
        return loss.kind != "crash"

    def takes_its_course(self, up, loss):
        """False: a cut for a moment has become a longer one, because the machine was busy."""
        with new_log() as log:
            settings = {"AM_TRANSPORT": TRANSPORTS[self.TRANSPORT]}
            if loss.kind == "rank" and self.TRANSPORT == "tcp":  # while ranks connect, too
                ended = self.run_job(up, TRAFFIC, loss.seed, loss.rank, log, 9, **settings)
                self.check_survivors(ended, *loss.expected())
                return True
            job = self.start(up, TRAFFIC, loss.seed, loss.victims(), log, 0, AM_WAIT="block",
                             **settings)
            self.wait_until_in_job(job)
            if self.TRANSPORT == "ucx":
                self.wait_until_connected(up)
            time.sleep(loss.delay)
            if loss.kind == "moment" and self.cut_for_a_moment(up, loss) >= MOMENT:
                job.terminate()
                job.communicate()
                self.check_none_left(up, (1, 2, 3))
                return False
            if loss.kind == "rank":
                up.status(loss.rank // 2 + 1, "sh", "-c", KILL_RANK, "sh", loss.rank)
            elif loss.kind in ("agent", "moment"):
                self.kill(up, loss.host, "--agent")
            else:
                self.lose(up, loss.kind, loss.host)
            self.check_survivors(self.end(job), *loss.expected())
        if loss.kind in ("cut", "in", "out"):
            network.heal(clusters.find(up.name), loss.host)
        if loss.kind != "crash":
            self.check_none_left(up, (1, 2, 3))
        return True

    def wait_until_connected(self, up):
        """First contact with a rank that has died fails over ucx, or takes minutes."""
        for host in (1, 2, 3):
            self.assertTrue(wait_until(lambda: connections(up, host, TRAFFIC.name) >= 8), host)

    def cut_for_a_moment(self, up, loss):
        """How long it was. Afterwards there is time for what must not follow."""
        cluster = clusters.find(up.name)
        began = time.monotonic()
        if loss.way is None:
            network.cut(cluster, loss.cut_host)
        else:
            if reason := network.cut_one_way(cluster, loss.cut_host, loss.way):
                raise unittest.SkipTest(reason)
        time.sleep(loss.seconds)
        network.heal(cluster, loss.cut_host)
        lasted = time.monotonic() - began
        time.sleep(TIMEOUT)
        return lasted

    def check_none_left(self, up, hosts):
        """The agent of a host that was cut off has ended its ranks, and itself."""
        for host in hosts:
            self.assertTrue(wait_until(
                lambda: up.status(host, "pgrep", "-x", OF_JOB) == 1, 2 * TIMEOUT + 10), host)


class RandomLossesOverUcx(RandomLosses):
    TRANSPORT = "ucx"
    MANY = 200 if LONG else 4


if __name__ == "__main__":
    in_hosts.main("--no-slurm")
