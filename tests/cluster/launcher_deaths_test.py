#!/usr/bin/env python3
"""Deaths of ranks and hosts in jobs of srun and mpirun over three hosts, over tcp and ucx: every
rank that lives ends soon, and a link that is cut for a moment has no effect."""

import os
import pathlib
import sys
import unittest

import in_hosts
from in_hosts import Up

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from harness import wait_until  # noqa: E402
from host_jobs import TRANSPORTS, connections  # noqa: E402

BUILD = os.environ["LIBAM_TEST_BUILD"]
MEMBER = f"{BUILD}/tests/am_run_member"
SETTINGS = {"AM_PEER_TIMEOUT": 3, "AM_WAIT": "block"}
LAUNCHERS = ("srun", "mpirun")
DAEMONS = {"srun": "slurmstepd", "mpirun": "orted"}
OPTIONS = {"srun": [], "mpirun": ["--no-slurm"]}  # of a cluster
DEATH_OF_RANK = {"srun": r"srun: error: h{host}: task \d: Killed",
                 "mpirun": r"process rank \d .* exited on signal 9 \(Killed\)"}


class Job:
    def __init__(self, up, launcher, *program, **settings):
        self.up = up
        self.name = os.path.basename(program[0])
        settings = [f"{name}={value}" for name, value in settings.items()]
        if launcher == "srun":
            words = ["env", *settings, "srun", "-N", "3", "--ntasks-per-node=2", "--mpi=pmix"]
        else:
            words = ["mpirun", "--host", "h1:2,h2:2,h3:2"]
            # By default mpirun looks for silent hosts after minutes.
            for name, value in (("time", 2), ("intvl", 1), ("probes", 3)):
                words += ["--mca", f"oob_tcp_keepalive_{name}", str(value)]
            words += [word for one in settings for word in ("-x", one)]
        self.process = up.start(1, *words, *program)

    def found(self, host, name):
        """The pids of the processes of this name in a host."""
        return self.up.status_and_output(host, "pgrep", "-x", name)[1].split()

    def kill(self, host, name):
        self.up.status(host, "kill", "-9", self.found(host, name)[0])

    def ranks_on(self, host):
        return self.found(host, self.name)

    def end(self):
        """Its status and its output."""
        output = self.process.communicate(timeout=40)
        return self.process.returncode, "\n".join(output)


class Jobs(unittest.TestCase):
    def check_ranks_end(self, job, hosts=(1, 2, 3)):
        for host in hosts:
            self.assertTrue(wait_until(lambda: not job.ranks_on(host), 60), host)

    def waiting_job(self, up, launcher):
        """Of ranks that have joined and send nothing."""
        job = Job(up, launcher, MEMBER, "wait", AM_WAIT="block")
        joined = 0
        for line in job.process.stderr:
            joined += line.startswith("in ")
            if joined == 6:
                return job
        return self.fail(job.end())

    def sending_job(self, up, launcher, transport, seconds=100, **settings):
        job = Job(up, launcher, "stress", "--seconds", str(seconds),
                  **{**SETTINGS, "AM_TRANSPORT": TRANSPORTS[transport], **settings})
        for host in (1, 2, 3):
            self.assertTrue(wait_until(lambda: connections(up, host) >= 8), host)
        return job

    def check_killed_rank(self, job, launcher, host, statuses):
        job.kill(host, job.name)
        status, said = job.end()
        self.assertIn(status, statuses, said)
        if status == 137:
            self.assertRegex(said, DEATH_OF_RANK[launcher].format(host=host))
        self.check_ranks_end(job)


class Idle(Jobs):
    def test_the_death_of_a_rank_ends_the_others(self):
        with Up("--build", BUILD) as up:
            for launcher in LAUNCHERS:
                for host in (1, 2):
                    with self.subTest(launcher=launcher, host=host):
                        job = self.waiting_job(up, launcher)
                        self.check_killed_rank(job, launcher, host, [137])


class IdleAtLength(Jobs):
    def test_the_end_of_mpiruns_daemon_ends_all_ranks(self):
        with Up("--build", BUILD, "--no-slurm") as up:
            job = self.waiting_job(up, "mpirun")
            job.kill(2, DAEMONS["mpirun"])
            status, said = job.end()
            self.assertNotEqual(status, 0, said)
            self.check_ranks_end(job)

    def test_a_host_that_crashes_ends_idle_ranks_under_mpirun(self):
        with Up("--build", BUILD, "--no-slurm") as up:
            job = self.waiting_job(up, "mpirun")
            up.do("crash", 3)
            status, said = job.end()
            self.assertNotEqual(status, 0, said)
            self.check_ranks_end(job, (1, 2))


class WithConnections(Jobs):
    """Each event under each launcher and over each transport, in a cluster of its own."""

    def in_each_cell(self, check):
        for launcher in LAUNCHERS:
            for transport in TRANSPORTS:
                with self.subTest(launcher=launcher, transport=transport):
                    with Up("--build", BUILD, *OPTIONS[launcher]) as up:
                        check(up, launcher, transport)

    def test_the_death_of_a_rank_ends_the_others(self):
        def check(up, launcher, transport):
            job = self.sending_job(up, launcher, transport)
            # A rank that finds the lost connection first may end srun's job.
            self.check_killed_rank(job, launcher, 2, [137, 1] if launcher == "srun" else [137])
        self.in_each_cell(check)

    def test_the_end_of_a_daemon_ends_all_ranks(self):
        def check(up, launcher, transport):
            job = self.sending_job(up, launcher, transport)
            job.kill(2, DAEMONS[launcher])
            self.check_ranks_end(job)
            status, said = job.end()
            self.assertEqual(status, 205 if launcher == "mpirun" else 1, said)
        self.in_each_cell(check)

    def check_silent_host(self, up, job, launcher, hosts):
        self.check_ranks_end(job, hosts)
        if launcher == "mpirun":  # it may wait for its daemon on h3
            up.status(1, "pkill", "-KILL", "-x", "mpirun|ssh")
        status, said = job.end()
        self.assertNotEqual(status, 0, said)
        self.assertRegex(said, r"rank [45] is lost: silent for 3 s \(AM_PEER_TIMEOUT\)")

    def test_a_host_that_crashes_ends_ranks_with_connections_to_it(self):
        def check(up, launcher, transport):
            job = self.sending_job(up, launcher, transport)
            up.do("crash", 3)
            self.check_silent_host(up, job, launcher, (1, 2))
        self.in_each_cell(check)

    def test_a_host_that_is_cut_off_ends_ranks_on_both_sides(self):
        def check(up, launcher, transport):
            job = self.sending_job(up, launcher, transport)
            up.do("cut", 3)
            self.check_silent_host(up, job, launcher, (1, 2, 3))
        self.in_each_cell(check)

    def test_a_link_that_is_cut_for_a_second_has_no_effect(self):
        def check(up, launcher, transport):
            job = self.sending_job(up, launcher, transport, seconds=4, AM_PEER_TIMEOUT=30)
            up.do("cut", 3)
            up.status(1, "sleep", "1")
            up.do("heal", 3)
            status, said = job.end()
            self.assertEqual(status, 0, said)
            self.assertRegex(said, r"stress: (\d+) requests, \1 handled, 0 lost")
        self.in_each_cell(check)


if __name__ == "__main__":
    in_hosts.main()
