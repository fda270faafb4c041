#!/usr/bin/env python3
"""The hosts of a cluster are separate, and reach each other; links can be cut."""

import itertools
import os
import pathlib
import shutil
import sys
import time
import unittest

import clusters
import in_hosts
from in_hosts import Up, run

HOSTS = (1, 2, 3)
# Connects to each host by each family at the same time: the addresses that answer.
REACH = """
import socket, sys
from concurrent.futures import ThreadPoolExecutor
def reach(name, family):
  try:
    address = socket.getaddrinfo(name, 22, family, socket.SOCK_STREAM)[0][4]
    with socket.socket(family) as s:
      s.settimeout(1.5)
      s.connect(address)
      s.settimeout(20)
      return address[0] + " " + s.recv(4).decode()
  except OSError as error: return name + " no"
pairs = [(name, family) for name in sys.argv[1:] for family in (socket.AF_INET, socket.AF_INET6)]
print("\\n".join(ThreadPoolExecutor(6).map(lambda pair: reach(*pair), pairs)))
"""
# With names sends a datagram to each; else prints whether one has arrived when its input ends.
DATAGRAM = """
import select, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if len(sys.argv) > 1: [s.sendto(b"x", (name, 7001)) for name in sys.argv[1:]]
else:
  s.bind(("", 7001)); print("listens", flush=True); sys.stdin.read()
  print(bool(select.select([s], [], [], 0)[0]))
"""


class Hosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = cls.enterClassContext(Up("--no-slurm"))

    # ---- separate

    def test_each_has_a_name_and_processes_of_its_own(self):
        self.assertEqual([self.up.output(host, "hostname") for host in HOSTS], ["h1", "h2", "h3"])
        for host in HOSTS:
            pids = self.up.output(host, "sh", "-c", "echo /proc/[0-9]*").split()
            self.assertIn("/proc/1", pids)
            self.assertLess(len(pids), 10)

    def test_each_has_folders_of_its_own(self):
        for folder in ("/dev/shm", "/tmp", "/run", "/var/run"):
            with self.subTest(folder=folder):
                mine = pathlib.Path(folder) / f"am-cluster-test-{os.getpid()}"
                self.up.output(1, "touch", mine)
                self.assertEqual(self.up.status(1, "test", "-e", mine), 0)
                self.assertEqual(self.up.status(2, "test", "-e", mine), 1)
                self.assertFalse(mine.exists())
        self.assertEqual(self.up.output(2, "ls", "-A", "/tmp"), "")

    def test_each_has_ipc_and_abstract_sockets_of_its_own(self):
        self.up.output(1, "ipcmk", "--shmem", "4096")
        self.assertIn("4096", self.up.output(1, "ipcs", "--shmems"))
        self.assertNotIn("4096", self.up.output(2, "ipcs", "--shmems"))
        hold = ("import socket, time; s = socket.socket(socket.AF_UNIX); s.bind('\\0am-test');"
                "print('there', flush=True); time.sleep(60)")
        holder = self.up.start(1, sys.executable, "-c", hold)
        self.addCleanup(holder.communicate)
        self.addCleanup(holder.kill)
        self.assertEqual(holder.stdout.readline(), "there\n")
        bind = "import socket; socket.socket(socket.AF_UNIX).bind('\\0am-test')"
        self.assertNotEqual(self.up.status(1, sys.executable, "-c", bind), 0)
        self.assertEqual(self.up.status(2, sys.executable, "-c", bind), 0)

    def test_each_sees_its_interfaces_alone(self):
        for host in HOSTS:
            self.assertEqual(self.up.output(host, "ls", "/sys/class/net").split(), ["eth0", "lo"])

    def test_the_sources_are_seen_from_each(self):
        for host in HOSTS:
            self.assertEqual(self.up.status(host, "test", "-x", in_hosts.CLUSTER), 0)

    # ---- together

    def reached(self, host):
        return self.up.python(host, REACH, "h1", "h2", "h3").splitlines()

    def test_each_reaches_each_by_name_over_both_families(self):
        every = [f"{address} SSH-" for k in HOSTS for address in (f"198.18.0.{k}", f"fd00::{k}")]
        for host in HOSTS:
            self.assertEqual(self.reached(host), every)

    def test_ssh_works_from_each_to_each_without_a_question(self):
        for here, there in itertools.permutations(HOSTS, 2):
            self.assertEqual(self.up.output(here, "ssh", f"h{there}", "hostname"), f"h{there}")

    def test_ssh_and_exec_have_the_same_environment(self):
        show = 'echo "$PATH $LIBAM_TEST_CLUSTER $OMPI_ALLOW_RUN_AS_ROOT"'
        self.assertEqual(self.up.output(1, "ssh", "h2", show), self.up.output(2, "sh", "-c", show))

    # ---- cuts

    def heal_later(self):
        self.addCleanup(self.up.do, "heal", 3)

    def test_a_cut_and_its_end(self):
        self.heal_later()
        self.assertEqual(self.up.do("cut", 3).returncode, 0)
        self.assertEqual(self.reached(1)[4:], ["h3 no"] * 2)
        self.assertEqual(self.reached(3)[:4], ["h1 no"] * 2 + ["h2 no"] * 2)
        self.assertEqual(self.up.output(1, "ssh", "h2", "hostname"), "h2")
        self.assertIn("h3 198.18.0.3 fd00::3 cut\n", run("list").stdout)
        self.assertEqual(self.up.do("heal", "h3").returncode, 0)
        self.assertEqual(self.reached(1)[4:], ["198.18.0.3 SSH-", "fd00::3 SSH-"])
        self.assertEqual(self.reached(3)[0], "198.18.0.1 SSH-")

    def arrived(self):
        """Whether datagrams arrive from h1 and h2 at h3, and from h3 at h1 and h2."""
        waiting = [self.up.start(host, sys.executable, "-c", DATAGRAM)
                   for host in HOSTS]
        for each in waiting:
            self.assertEqual(each.stdout.readline(), "listens\n")
        self.up.python(1, DATAGRAM, "h3")
        self.up.python(3, DATAGRAM, "h1", "h2")
        time.sleep(0.3)
        one, two, three = (each.communicate()[0] == "True\n" for each in waiting)
        self.assertEqual(one, two)
        return three, one

    def test_a_cut_of_one_direction(self):
        self.heal_later()
        self.assertEqual(self.arrived(), (True, True))
        for way, expected in (("in", (False, True)), ("out", (True, False))):
            with self.subTest(way=way):
                done = self.up.do("cut", 3, "--one-way", way)
                if done.returncode == 77:
                    self.skipTest(done.stderr)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.arrived(), expected)
                self.assertIn(f"h3 198.18.0.3 fd00::3 cut {way}\n", run("list").stdout)
                self.assertEqual(self.up.do("heal", 3).returncode, 0)
        self.assertEqual(self.arrived(), (True, True))

    def test_the_list_leaves_out_a_cluster_that_has_just_ended(self):
        ended = clusters.FOLDER / f"{clusters.PREFIX}{os.getpid()}"
        ended.mkdir()
        self.addCleanup(shutil.rmtree, ended)
        (ended / "cluster.json").write_text('{"count": 3, "path": ""}')
        done = run("list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn(ended.name, done.stdout)
        self.assertIn("h3 198.18.0.3 ", done.stdout)

    def test_a_program_in_a_host_cuts_another_one(self):
        self.heal_later()
        script = ("$0 cut 3 && ! ssh -o ConnectTimeout=1 h3 true 2>&- && "
                  "$0 heal 3 && $0 exec 3 -- hostname && ssh h3 hostname")
        self.assertEqual(self.up.output(1, "sh", "-c", script, in_hosts.CLUSTER), "h3\nh3")


if __name__ == "__main__":
    in_hosts.main("--no-slurm")
