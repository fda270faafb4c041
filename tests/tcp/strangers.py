#!/usr/bin/env python3
"""Strangers at the sockets of a job: the job ends unharmed, and reports which it has refused."""

import json
import os
import pathlib
import re
import socket
import tempfile
import time
import unittest

import harness
from harness import descendants, start, wait_until

HELLO = b"am-tcp 1" + (1).to_bytes(4, "little") + (0).to_bytes(4, "little") + bytes(32)


def listening_ports(pid, table="tcp"):
    """The ports on which this process listens; table: tcp or tcp6."""
    inodes = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            inodes.update(re.findall(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{name}")))
        except OSError:
            continue
    rows = [line.split() for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]]
    return {row[1].split(":")[0]: int(row[1].split(":")[1], 16) for row in rows
            if row[3] == "0A" and row[9] in inodes}


class JobWithListeners(unittest.TestCase):
    """A job of three, and helpers that connect to it."""
    crypt = "0"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.stats = pathlib.Path(folder.name, "stats")
        self.job = start("-n", 3, harness.OTHERS["stress"], "--seconds", 3,
                         env={**os.environ, "AM_TRANSPORT": "tcp", "AM_TCP_CRYPT": self.crypt,
                              "AM_STATS": str(self.stats)})
        self.addCleanup(harness.finish, self.job)
        self.assertTrue(wait_until(lambda: len(self.ports()) == 3))
        self.address = ("127.0.0.1", self.ports()[0])

    def ports(self):
        found = [listening_ports(pid) for pid in descendants(self.job.pid)]
        return [port for ports in found for port in ports.values()]

    def refused(self):
        """How many connections the ranks have refused, when they have left."""
        return sum(json.loads(line)["refused"] for line in self.stats.read_text().splitlines())

    def connect(self):
        one = socket.create_connection(self.address, timeout=10)
        self.addCleanup(one.close)
        return one

    def end_in_order(self, *refusals):
        out, errors = self.job.communicate(timeout=60)
        self.assertEqual(self.job.returncode, 0, errors)
        self.assertRegex(out, r"\Astress: (\d+) requests, \1 handled, 0 lost\n\Z")
        lines = errors.splitlines()
        for refusal in refusals:
            self.assertTrue(any(re.fullmatch(rf"am\[\d\]: warn: tcp: {refusal}", line)
                                for line in lines), errors)
        self.assertTrue(all("tcp: " in line for line in lines), errors)

    def rank_of_port(self):
        """The rank that listens there: the one that answers a hello addressed to it."""
        for rank in (0, 2):
            with socket.create_connection(self.address, timeout=10) as one:
                one.sendall(HELLO[:12] + rank.to_bytes(4, "little") + bytes(32))
                if one.recv(1):
                    return rank
        self.fail("neither rank 0 nor rank 2 listens there")

    def connect_without_secret(self):
        """A stranger that knows the protocol, but not the secret."""
        one = self.connect()
        one.sendall(HELLO[:8] + (1).to_bytes(4, "little") + self.rank_of_port().to_bytes(4, "little")
                    + bytes(32))
        self.assertEqual(len(one.recv(64, socket.MSG_WAITALL)), 64)
        one.sendall(bytes(32))
        self.assertEqual(one.recv(1), b"")


class Strangers(JobWithListeners):
    def test_it_listens_on_the_loopback_interface_only(self):
        for pid in descendants(self.job.pid):
            self.assertEqual(set(listening_ports(pid)), {"0100007F"})
            self.assertLessEqual(set(listening_ports(pid, "tcp6")), {"0" * 24 + "01000000"})
        self.end_in_order()

    def test_a_connection_without_data_is_not_reported(self):
        for _ in range(20):
            self.connect().close()
        out, errors = self.job.communicate(timeout=60)
        self.assertEqual((self.job.returncode, errors), (0, ""))
        self.assertEqual(self.refused(), 0)

    def test_random_bytes(self):
        self.connect().sendall(os.urandom(4000))
        self.end_in_order(r"a connection from 127\.0\.0\.1:\d+ is refused: "
                      "it does not speak libam's protocol, or speaks another version of it")
        self.assertEqual(self.refused(), 1)

    def test_a_stranger_that_knows_the_protocol(self):
        self.connect_without_secret()
        self.end_in_order(r"a connection from 127\.0\.0\.1:\d+ is refused: "
                      "it says it is rank 1 and does not know the job's secret")

    def test_a_stranger_that_never_completes_its_hello(self):
        self.connect().sendall(HELLO[:20])
        self.end_in_order(
            r"a connection from \S+ is refused: it has not proved its identity within 2 s")

    def test_silent_strangers_are_closed_and_many_are_reported_together(self):
        crowd = [self.connect() for _ in range(400)]
        began = time.monotonic()
        for one in crowd:
            self.assertEqual(one.recv(1), b"")
        self.assertLess(time.monotonic() - began, 30)
        self.end_in_order(r"a connection from \S+ is refused: others are pending that may prove .*",
                      "further refusals are not reported")


class StrangersOfAnEncryptedJob(JobWithListeners):
    crypt = "1"

    def test_all_of_them_at_once(self):
        self.connect().close()
        self.connect().sendall(os.urandom(4000))
        self.connect().sendall(HELLO[:20])
        self.connect_without_secret()
        refused = r"a connection from \S+ is refused: "
        self.end_in_order(refused + "it does not speak libam's protocol, or speaks another version "
                      "of it", refused + "it has not proved its identity within 2 s",
                      refused + "it says it is rank 1 and does not know the job's secret")


class RanksThatDiffer(unittest.TestCase):
    """Some of them encrypt."""

    def start_job(self, **settings):
        done = harness.shell(3, "AM_TCP_CRYPT=$((AM_JOB_RANK == 2)) exec \"$STRESS\" --seconds 0.2",
                             env={"STRESS": harness.OTHERS["stress"], **settings})
        self.assertNotIn("warn", done.stderr)
        return done

    def test_the_first_connection_reports_both_values(self):
        done = self.start_job(AM_TRANSPORT="tcp")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?m)^stress: no transport reaches rank \d \(.*; tcp: AM_TCP_CRYPT "
                         r"is (1 at rank 2 and 0|0 at rank [01] and 1) here: give all ranks the same\)$")

    def test_pairs_without_tcp_are_not_affected(self):
        self.assertEqual(self.start_job().returncode, 0)


if __name__ == "__main__":
    harness.main()
