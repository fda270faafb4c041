#!/usr/bin/env python3
"""am-calibrate peers: its JSON holds to docs/am-peers.schema.json.

Usage: peers_command.py AM-CALIBRATE
"""

import sys
import unittest

from pair_command import PairCommand


class Peers(PairCommand, unittest.TestCase):
    command = "peers"
    refused = ((["--rounds", "0"], "--rounds"),)
    test_in_a_job = None  # where it measures the job's two ranks

    @staticmethod
    def broken(whole):
        whole["rows"][0]["value"]["unit"] = "us"

    def test_file(self):
        _, whole = self.measure("--transport", "shm", "--layers",
                                "limit-line,limit-memcpy,limit-copy,limit-ring,am-shm", "--samples", "2",
                                "--bytes", "4096")
        self.assertEqual({row["layer"] for row in whole["rows"]},
                         {"limit-line", "limit-memcpy", "limit-copy", "limit-ring", "am-shm"})
        self.assertEqual({row["value"]["unit"] for row in whole["rows"]}, {"ns", "GB/s"})
        self.assertTrue(whole["ratios"])
        self.assertTrue(whole["conditions"]["above_limit"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
