#!/usr/bin/env python3
"""A stranger in the network of a job over three hosts: it scans ports, makes many connections, and
repeats what it has recorded. The job loses nothing, and no rank keeps anything of it."""

import json
import os
import pathlib
import re
import socket
import sys
import threading
import unittest

import clusters
import commands
import in_hosts
import network
from in_hosts import Up
from recording import Recorder

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from harness import wait_until  # noqa: E402

BUILD = os.environ["LIBAM_TEST_BUILD"]
IS_LONG = "LIBAM_TEST_LONG" in os.environ
CONNECTIONS = 100_000 if IS_LONG else 10_000
BATCH = 2_000
SECONDS = 60 if IS_LONG else 5  # of a job; there are more jobs until there are enough connections
RANKS = 6
STRANGER = ("python3", "-S", "-B", str(pathlib.Path(__file__).with_name("stranger.py")))
HELLO = b"am-tcp 1"
RECORDED_BYTES = 8 << 20  # the beginning of a job
STREAM_BYTES = 1 << 16
# Those of one rank that have not proved themselves (docs/errors.md), and few more.
MOST_UNPROVED = 128 + RANKS + 8
MOST_KILOBYTES = 4096


def descriptors(pid):
    """0 of a process that has ended."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def kilobytes(pid):
    """0 of a process that has ended."""
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmRSS:\s*(\d+)", text)
    return int(found[1]) if found else 0


def address_text(address):
    return socket.inet_ntop(socket.AF_INET if len(address) == 4 else socket.AF_INET6, address)


class Observed:
    """The ranks, seen from outside: the most descriptors of each while this context lasts."""

    def __init__(self, pids):
        self.most = dict.fromkeys(pids, 0)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.observe)

    def observe(self):
        while not self.ended.wait(0.05):
            for pid, most in self.most.items():
                self.most[pid] = max(most, descriptors(pid))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


class Stranger(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = cls.enterClassContext(Up("--no-slurm", "--build", BUILD, hosts=4))
        cls.cluster = clusters.find(cls.up.name)

    def start_job(self, crypt):
        job = self.up.start(1, "env", "AM_TRANSPORT=tcp", f"AM_TCP_CRYPT={crypt}", "AM_STATS=-",
                            "am-run", "--hosts", "h1:2,h2:2,h3:2", "stress", "--seconds", SECONDS)
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        return job

    def ranks(self):
        def is_rank(pid):
            try:
                return pathlib.Path(f"/proc/{pid}/comm").read_text() == "stress\n"
            except OSError:
                return False
        return list(filter(is_rank, in_hosts.members(self.up.name)))

    def are_running(self):
        return len(self.ranks()) == RANKS

    def replay(self, file):
        status, said = commands.output_of(self.cluster, network.SWITCH,
                                          [*STRANGER, "replay", str(file)])
        self.assertEqual(status, 0, said)
        self.assertGreater(int(said), 100)

    def attack(self, streams):
        """At the places to which these connections went."""
        attacker = self.up.start(4, *STRANGER, "attack", BATCH)
        known = {"places": sorted({(address_text(ends[2]), ends[3]) for ends in streams}),
                 "streams": [one[:STREAM_BYTES].hex() for one in streams.values()]}
        out, errors = attacker.communicate(json.dumps(known) + "\n", timeout=100)
        self.assertEqual(errors, "")
        return json.loads(out)

    def attacked_job(self, crypt, wanted):
        """How many of the wanted connections there were before it ended."""
        with Recorder(self.cluster, RECORDED_BYTES) as seen:
            job = self.start_job(crypt)
            self.assertTrue(wait_until(seen.command.has_ended, 30))
        streams = {ends: one for ends, one in seen.streams().items() if one.startswith(HELLO)}
        self.assertGreaterEqual(len(streams), 2)
        ranks = self.ranks()
        # Some may meet each other later.
        most_descriptors = {pid: descriptors(pid) + RANKS for pid in ranks}
        most_kilobytes = {pid: kilobytes(pid) + MOST_KILOBYTES for pid in ranks}
        made = refused = 0
        with Observed(ranks) as observed:
            while made < wanted and self.are_running():
                self.replay(seen.file)
                done = self.attack(streams)
                made += done["made"]
                if not self.are_running():
                    break  # what ends with a rank has not been refused
                refused += done["refused"]
                for pid in ranks:
                    self.assertTrue(wait_until(lambda: descriptors(pid) <= most_descriptors[pid]))
                    self.assertLess(kilobytes(pid), most_kilobytes[pid])
        for pid in ranks:
            self.assertLess(observed.most[pid], most_descriptors[pid] + MOST_UNPROVED)
        self.check_end(job, refused)
        return made

    def check_end(self, job, refused):
        out, errors = job.communicate(timeout=100)
        self.assertEqual(job.returncode, 0, errors)
        self.assertRegex(out, r"\Astress: (\d+) requests, \1 handled, 0 lost\n\Z")
        counts = []
        for line in errors.splitlines():
            if line.startswith("{"):
                counts.append(json.loads(line)["refused"])
            else:
                self.assertRegex(line, r"\Aam\[\d\]: warn: tcp: (a connection from "
                                       r"198\.18\.0\.4:\d+ is refused: |further refusals are)")
        self.assertEqual(len(counts), RANKS, errors)
        self.assertGreaterEqual(sum(counts), refused)

    def test_a_scan_of_ports(self):
        first, last = ("1", "65535") if IS_LONG else pathlib.Path(
            "/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
        families = [network.ipv4, network.ipv6] if IS_LONG else [network.ipv4]
        job = self.start_job(0)
        self.assertTrue(wait_until(self.are_running))
        addresses = [address(host) for address in families for host in (1, 2, 3)]
        places = json.loads(self.up.output(4, *STRANGER, "scan", first, last, *addresses))
        if self.are_running():
            self.assertEqual(len(places), RANKS * len(families))
        self.check_end(job, 0)

    def test_many_connections(self):
        for crypt in (0, 1) if IS_LONG else (0,):
            made = 0
            while made < CONNECTIONS:
                made += self.attacked_job(crypt, CONNECTIONS - made)


if __name__ == "__main__":
    in_hosts.main("--no-slurm")
