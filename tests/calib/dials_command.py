#!/usr/bin/env python3
"""am-calibrate dials: its tables, its JSON, which holds to docs/am-dials.schema.json, and what it
refuses.

Usage: dials_command.py AM-CALIBRATE TRANSPORT
"""

import re
import sys
import unittest

from pair_command import PairCommand

TRANSPORT = sys.argv[2]


class Dials(PairCommand, unittest.TestCase):
    command = "dials"
    refused = (
        (["--transport", "self"], "unknown transport 'self'; there are shm"),
        (["--rounds", "0"], "--rounds"),
        (["--full"], "--full"))
    measured = (0, 1, 3)  # 1: a dial may be off, too

    @staticmethod
    def broken(whole):
        dials = whole["transports"][TRANSPORT]["dials"]
        del dials[0]["points"][0]["changes"]["rtt"]["unit"]

    def test_tables_and_file(self):
        ended, whole = self.measure("--quick", "--transport", TRANSPORT, "--samples", "3")
        self.assertNotIn("failed", ended.stderr)
        dials = ["L", "o_s", "o_r", "g_s", "g_r", "G"]
        for name in dials:
            self.assertRegex(ended.stdout, rf"(?m)^  {name} +(added|at least)   seen")
        self.assertEqual(len(re.findall("mean error [0-9]", ended.stdout)), len(dials))
        measured = whole["transports"][TRANSPORT]
        self.assertEqual([one["dial"] for one in measured["dials"]], dials)
        for one in measured["dials"]:
            self.assertEqual(len(one["points"]), 2)
        for name in ("bare", "zero"):
            self.assertEqual(len(measured[name]), 6)
        self.assertEqual(ended.returncode == 0,
                         not whole["off"] and not whole["conditions"]["unfit"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
