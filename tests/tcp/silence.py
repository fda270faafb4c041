"""Ranks in network namespaces that a third one connects: their reports when the network between
them fails, permanently or for a while, over any transport."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import harness
from harness import read_pids, start, wait_until

NAMESPACE = ["unshare", "-n"]
TIMEOUT = 2
DEFAULTS = {"AM_LOG": "info", "AM_PEER_TIMEOUT": str(TIMEOUT), "AM_ON_PEER_DEATH": "callback"}


def inside(namespace, *words):
    return ["nsenter", f"--net=/proc/{namespace}/ns/net", *words]


class Network:
    """Two hosts at a switch: 10.77.0.1 and .2, fd77::1 and ::2, at the interfaces am0 and am1."""

    def __init__(self, test):
        self.test = test
        self.switch = self.namespace()
        self.hosts = [self.namespace(), self.namespace()]
        self.ip(self.switch, "link add switch type bridge")
        self.ip(self.switch, "link set switch up")
        for i, host in enumerate(self.hosts):
            self.ip(host, f"link add am{i} type veth peer name port{i} netns {self.switch}")
            self.ip(host, f"address add 10.77.0.{i + 1}/24 dev am{i}")
            self.ip(host, f"address add fd77::{i + 1}/64 dev am{i} nodad")
            self.ip(host, f"link set am{i} up")
            self.ip(self.switch, f"link set port{i} up")
        self.connect_host(0)
        self.connect_host(1)

    def namespace(self):
        """The pid of a process that holds it."""
        holder = subprocess.Popen([*NAMESPACE, "sleep", "600"])
        self.test.addCleanup(holder.wait)
        self.test.addCleanup(holder.kill)
        mine = os.readlink("/proc/self/ns/net")
        self.test.assertTrue(wait_until(
            lambda: os.readlink(f"/proc/{holder.pid}/ns/net") != mine))
        self.ip(holder.pid, "link set lo up")
        return holder.pid

    def ip(self, namespace, words):
        subprocess.run(inside(namespace, "ip", *words.split()), check=True, timeout=20)

    def connect_host(self, host):
        self.ip(self.switch, f"link set port{host} master switch")

    def disconnect_host(self, host):
        """Neither end is notified: what is sent disappears."""
        self.ip(self.switch, f"link set port{host} nomaster")

    def start(self, program, **settings):
        """A job with a rank on each host."""
        namespaces = " ".join(map(str, self.hosts))
        script = (f"set -- {namespaces}; shift $AM_JOB_RANK; "
                  f"exec nsenter --net=/proc/$1/ns/net {program}")
        job = start("-n", 2, "sh", "-c", script, env={**os.environ, **DEFAULTS, **settings})
        self.test.addCleanup(harness.finish, job)
        return job


class Networked(unittest.TestCase):
    SETTINGS = {}
    LOST = ""  # what the log says of a lost pair, without the rank

    def setUp(self):
        self.net = Network(self)

    def start(self, program, **settings):
        return self.net.start(program, **{**self.SETTINGS, **settings})

    def start_far(self, mode, seconds, **settings):
        """Both ranks are in the job: the job and their pids."""
        job = self.start(f"{harness.OTHERS['am_tcp_far']} {mode} {seconds}", **settings)
        pids = read_pids(job.stderr, 2)
        self.assertEqual(len(pids), 2)
        return job, pids

    def in_touch(self, job):
        for _ in range(2):
            self.assertEqual(job.stdout.readline(), "in touch\n")

    def end(self, job, printed, why=None):
        """Both ranks have printed `printed`, and the reason if they have lost each other."""
        out, errors = job.communicate(timeout=60)
        self.assertEqual((job.returncode, out), (0, printed * 2), errors)
        self.assertNotRegex(errors, r": (warn|error): ")
        reasons = dict(re.findall(rf"am\[(\d)\]: info: {self.LOST} \d is lost: (.*)\n", errors))
        self.assertEqual(len(reasons), 0 if why is None else 2, errors)
        for reason in reasons.values():
            self.assertRegex(reason, f"^{why}$")


class Silence:
    """Tests for a class that is Networked."""

    def test_a_cut_is_noticed_by_senders_and_by_waiting_ranks(self):
        jobs = [self.start_far(mode, 40, AM_WAIT=wait)[0]
                for mode, wait in (("idle", "block"), ("idle", "auto"), ("sending", "auto"))]
        for job in jobs:
            self.in_touch(job)
        time.sleep(0.2)
        self.net.disconnect_host(1)
        for job in jobs:
            self.end(job, "lost\n", rf"silent for {TIMEOUT} s \(AM_PEER_TIMEOUT\)")

    def test_by_default_it_ends_the_job_with_the_reason(self):
        job, _ = self.start_far("idle", 40, AM_ON_PEER_DEATH="abort", AM_LOG="warn")
        self.in_touch(job)
        self.net.disconnect_host(1)
        _, errors = job.communicate(timeout=60)
        self.assertEqual(job.returncode, 1, errors)
        self.assertRegex(errors, r"am-run: rank \d \(.*\) ended the job with status 1: rank \d is lost: "
                                 rf"silent for {TIMEOUT} s \(AM_PEER_TIMEOUT\)\n")

    def test_a_short_cut_has_no_effect(self):
        jobs = [self.start_far(mode, 6, AM_PEER_TIMEOUT="8")[0] for mode in ("idle", "sending")]
        for job in jobs:
            self.in_touch(job)
        self.net.disconnect_host(1)
        time.sleep(1.5)
        self.net.connect_host(1)
        for job in jobs:
            self.end(job, "still in touch\n")

    def test_a_peer_that_is_stopped_or_computes_is_not_silent(self):
        late, _ = self.start_far("late", 3 * TIMEOUT)
        stopped = [self.start_far(mode, 4 * TIMEOUT) for mode in ("idle", "sending")]
        for job, pids in stopped:
            self.in_touch(job)
            os.kill(pids[0], signal.SIGSTOP)
        time.sleep(3 * TIMEOUT)
        for _, pids in stopped:
            os.kill(pids[0], signal.SIGCONT)
        for job, _ in stopped:
            self.end(job, "still in touch\n")
        out, errors = late.communicate(timeout=60)
        self.assertEqual((late.returncode, sorted(out.splitlines())),
                         (0, ["in touch"] * 2 + ["still in touch"] * 2), errors)


def main(needed=("true",)):
    """Runs the tests; a skip where namespaces cannot be made, or `needed` fails in one."""
    possible = shutil.which("ip") and shutil.which("nsenter")
    if possible and os.geteuid() != 0 and "LIBAM_TEST_INSIDE" not in os.environ:
        os.environ["LIBAM_TEST_INSIDE"] = "1"
        user = ["unshare", "-U", "-r"]
        if subprocess.run([*user, *NAMESPACE, *needed], capture_output=True).returncode == 0:
            os.execvp(user[0], [*user, sys.executable, "-B", *sys.argv])
    if not possible or subprocess.run([*NAMESPACE, *needed], capture_output=True).returncode != 0:
        print("not tried: no network namespaces here, or no ip or nsenter")
        sys.exit(77)
    harness.main()
