#!/usr/bin/env python3
"""Deaths of ranks and hosts in jobs of srun and mpirun over three hosts: every rank that lives ends
soon, and a link that is cut for a moment has no effect."""

import os
import pathlib
import re
import sys
import unittest

import in_hosts
from in_hosts import Up

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from harness import wait_until  # noqa: E402

BUILD = os.environ["LIBAM_TEST_BUILD"]
MEMBER = f"{BUILD}/tests/am_run_member"
# One transport is enough here: partition_test.py has both.
TCP = {"AM_TRANSPORT": "shm,tcp", "AM_PEER_TIMEOUT": 3, "AM_WAIT": "block"}


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

    def is_connected(self, host):
        """The ranks of this host have connections of tcp with all four others."""
        said = self.up.output(host, "ss", "-Htnp", "state", "established")
        return len(re.findall(r'198\.18\..*"stress"', said)) >= 8

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

    def sending_job(self, up, launcher, seconds, **settings):
        job = Job(up, launcher, "stress", "--seconds", str(seconds), **{**TCP, **settings})
        for host in (1, 2, 3):
            self.assertTrue(wait_until(lambda: job.is_connected(host)), host)
        return job


class Ranks(Jobs):
    def test_the_death_of_a_rank_ends_the_others(self):
        with Up("--build", BUILD) as up:
            for launcher, line in (("srun", r"srun: error: h2: task \d: Killed"),
                                   ("mpirun", r"process rank \d .* exited on signal 9 \(Killed\)")):
                for host in (1, 2):
                    with self.subTest(launcher=launcher, host=host):
                        job = self.waiting_job(up, launcher)
                        job.kill(host, job.name)
                        status, said = job.end()
                        self.assertEqual(status, 137, said)
                        self.assertRegex(said, line.replace("h2", f"h{host}"))
                        self.check_ranks_end(job)


class Hosts(Jobs):
    def test_the_end_of_mpiruns_daemon_ends_all_ranks(self):
        with Up("--build", BUILD, "--no-slurm") as up:
            job = self.waiting_job(up, "mpirun")
            job.kill(2, "orted")
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

    def test_a_host_that_crashes_ends_ranks_with_connections_to_it(self):
        line = r"rank [45] is lost: silent for 3 s \(AM_PEER_TIMEOUT\)"
        with Up("--build", BUILD) as up:
            job = self.sending_job(up, "srun", 100)
            up.do("crash", 3)
            self.check_ranks_end(job, (1, 2))
            status, said = job.end()
            self.assertNotEqual(status, 0, said)
            self.assertRegex(said, line)
        with Up("--build", BUILD, "--no-slurm") as up:
            job = self.sending_job(up, "mpirun", 100)
            up.do("crash", 3)
            self.check_ranks_end(job, (1, 2))
        self.assertRegex(job.end()[1], line)  # mpirun itself may wait for its daemon on h3

    def test_a_host_that_is_cut_off_ends_ranks_on_both_sides(self):
        with Up("--build", BUILD) as up:
            job = self.sending_job(up, "srun", 100)
            up.do("cut", 3)
            self.check_ranks_end(job)
            self.assertNotEqual(job.end()[0], 0)

    def test_a_link_that_is_cut_for_a_second_has_no_effect(self):
        with Up("--build", BUILD) as up:
            for launcher in ("srun", "mpirun"):
                with self.subTest(launcher=launcher):
                    job = self.sending_job(up, launcher, 4, AM_PEER_TIMEOUT=30)
                    up.do("cut", 3)
                    up.status(1, "sleep", "1")
                    up.do("heal", 3)
                    status, said = job.end()
                    self.assertEqual(status, 0, said)
                    self.assertRegex(said, r"stress: (\d+) requests, \1 handled, 0 lost")


if __name__ == "__main__":
    in_hosts.main()
