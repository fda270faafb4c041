#!/usr/bin/env python3
"""Ranks in network namespaces that a third one connects: which addresses tcp uses, and its reports
when the network between them fails, permanently or for a while."""

import re

import harness
import silence
from silence import TIMEOUT

ADDRESS = r"(10\.77\.0\.[12]:\d+|\[fd77::[12]\]:\d+)"


class Networks(silence.Silence, silence.Networked):
    SETTINGS = {"AM_TRANSPORT": "tcp", "AM_TCP_NET": "10.77.0.0/16"}
    LOST = "tcp: the connection with rank"

    def check_served(self, filter_list, address):
        job = self.start(f"{harness.OTHERS['stress']} --seconds 0.2", AM_TCP_NET=filter_list)
        out, errors = job.communicate(timeout=60)
        self.assertEqual(job.returncode, 0, errors)
        self.assertRegex(out, r" 0 lost\n$")
        for how in ("is reached at", "has connected from"):
            self.assertRegex(errors, rf"am\[[01]\]: info: tcp: rank [01] {how} {address}\n")

    def test_networks_interfaces_and_what_is_excluded(self):
        four, six = r"10\.77\.0\.[12]:\d+", r"\[fd77::[12]\]:\d+"
        for filter_list, address in (("10.77.0.0/16", four), ("fd00::/8", six), ("am0,am1", four),
                              ("^lo", four), ("^lo,^0.0.0.0/0", six), ("10.77.0.1,10.77.0.2", four)):
            with self.subTest(filter_list=filter_list):
                self.check_served(filter_list, address)

    def test_an_unreachable_address_is_skipped(self):
        for i, host in enumerate(self.net.hosts):
            self.net.ip(host, f"link add blind{i} type veth peer name dark{i}")
            self.net.ip(host, f"address add 10.66.0.{i + 1}/24 dev blind{i}")
            self.net.ip(host, f"link set blind{i} up")
            self.net.ip(host, f"link set dark{i} up")
        self.check_served("10.66.0.0/16,10.77.0.0/16", ADDRESS)

    def test_a_filter_without_matching_address_is_reported_with_the_existing_ones(self):
        job = self.start(f"{harness.OTHERS['am_tcp_far']} idle 1", AM_TCP_NET="10.78.0.0/16,eth9")
        _, errors = job.communicate(timeout=60)
        self.assertNotEqual(job.returncode, 0)
        self.assertRegex(errors, r"am\[0\]: info: tcp is not used: AM_TCP_NET=10\.78\.0\.0/16,eth9 allows "
                         r"none of this host's addresses: lo 127\.0\.0\.1, am0 10\.77\.0\.1, lo ::1, "
                         r"am0 fd77::1, am0 fe80::\S+\n")

    def test_the_loopback_interface_reaches_no_other_host(self):
        job, _ = self.start_far("idle", 30, AM_TCP_NET="")
        self.end(job, "lost\n", r"127\.0\.0\.1:\d+: Connection refused, \[::1\]:\d+: Connection refused")

    def test_a_rank_that_is_unreachable_at_first_contact_is_given_up(self):
        self.net.disconnect_host(1)
        job, _ = self.start_far("idle", 40)
        self.end(job, "lost\n", r"10\.77\.0\.\d:\d+: (no answer|No route to host): "
                 rf"given up after {TIMEOUT} s \(AM_PEER_TIMEOUT\)")


if __name__ == "__main__":
    silence.main()
