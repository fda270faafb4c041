#!/usr/bin/env python3
"""am-calibrate comb: its tables, its JSON, which holds to docs/am-comb.schema.json, what it keeps
when it is stopped, and what it refuses.

Usage: comb_command.py AM-CALIBRATE
"""

import json
import sys
import unittest

from pair_command import PairCommand


class Comb(PairCommand, unittest.TestCase):
    command = "comb"
    refused = (
        (["--transport", "self"], "unknown transport 'self'; there are shm"),
        (["--layers", "am-slow"], "unknown layer 'am-slow'; there are am-shm"),
        (["--bytes", "7"], "messages of 7 bytes; they have 8 to 10000000"),
        (["--depths", "65"], "65 messages under way; there are 1 to 64"),
        (["--quick", "--full"], "either --quick or --full"),
        (["--rounds", "0"], "--rounds"))

    @staticmethod
    def broken(whole):
        whole["layers"][0]["polling"][0]["points"][0]["piece"]["unit"] = "us"

    def test_tables_and_file(self):
        ended, whole = self.measure("--quick", "--layers", "am-shm")
        for size in ("10 KB x 4", "100 KB x 4"):
            for head in ("Polling over shm: ", "Post-work-wait over shm: ",
                         "Post-work-wait with one test over shm: "):
                self.assertIn(head + size, ended.stdout)
        [layer] = whole["layers"]
        self.assertEqual((layer["layer"], layer["transport"]), ("am-shm", "shm"))
        self.assertEqual([one["bytes"] for one in layer["polling"]], [10000, 100000])
        self.assertEqual([(one["method"], one["bytes"]) for one in layer["pww"]],
                         [("pww", 10000), ("pww", 100000),
                          ("pww-test", 10000), ("pww-test", 100000)])
        self.assertEqual(len(layer["verdicts"]), 6)
        for curve in layer["polling"] + layer["pww"]:
            self.assertGreater(len(curve["points"]), 5)
            self.assertGreater(curve["points"][0]["bandwidth"]["median"], 0)
            self.assertEqual(curve["points"][0]["availability"]["median"], 0)
            self.assertTrue(0 < curve["merit"]["median"] <= 1)

    def test_one_size_and_depth(self):
        ended = self.run_command("--quick", "--layers", "am-shm", "--rounds", "1", "--bytes", "64",
                                 "--depths", "1", "--json", "-")
        self.assertIn(ended.returncode, self.measured, ended.stderr)
        [layer] = json.loads(ended.stdout)["layers"]
        self.assertEqual([(one["bytes"], one["depth"]) for one in layer["polling"]], [(64, 1)])

    def test_stopped(self):
        self.measure_until_stopped("--quick", "--layers", "am-shm", "--bytes", "64")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
