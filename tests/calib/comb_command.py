#!/usr/bin/env python3
"""am-calibrate comb: its tables, its curves, its page, its JSON, which holds to docs/am-comb.schema.json, what it keeps
when it is stopped, and what it refuses.

Usage: comb_command.py AM-CALIBRATE
"""

import json
import sys
import unittest

from pair_command import DrawingCommand
from page import median_text


class Comb(DrawingCommand, unittest.TestCase):
    command = "comb"
    shortest = ("--quick", "--layers", "am-shm", "--bytes", "64", "--depths", "1")
    curves_of = "\nPolling over shm: 0.064 KB x 1, interval in iterations\n"
    refused = (
        *DrawingCommand.refused,
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
        ended, whole, page = self.measure_page("--quick", "--layers", "am-shm")
        self.check_page(whole, page)
        self.assertEqual(ended.stdout.count(", interval in iterations"), 1)  # of one size
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

    def check_page(self, whole, page):
        """Each figure has its points, and its table the figures of the file."""
        [layer] = whole["layers"]
        curves = layer["polling"] + layer["pww"]
        phases = {"pww": ("post", "worked", "wait"), "pww-test": ("post", "worked", "test", "wait")}
        self.assertEqual(page.points[0], len(curves))
        points = [3 * len(curve["points"]) for curve in layer["polling"]]
        for curve in layer["pww"]:
            count = len(curve["points"])
            points += [count * len(phases[curve["method"]]), 3 * count]
        self.assertEqual(page.points[1:], points)
        merits = page.tables["merit-shm.csv"]
        self.assertEqual([row[1] for row in merits[1:]],
                         [median_text(curve["merit"]["median"]) for curve in curves])
        for curve in curves:
            name = f"{curve['method']}-shm-{curve['bytes']}-{curve['depth']}"
            axis = "interval" if curve["method"] == "polling" else "work"
            self.assertEqual(
                [[row[0], *row[2:]] for row in page.tables[f"{name}.csv"][1:]],
                [[str(one[axis]), *(median_text(one[figure]["median"])
                                    for figure in ("bandwidth", "availability"))]
                 for one in curve["points"]])
            if axis == "work":
                self.assertEqual(
                    page.tables[f"{name}-phases.csv"][1:],
                    [[str(one[axis]), *(median_text(one[phase]["median"] / 1000)
                                        for phase in (*phases[curve["method"]], "dry"))]
                     for one in curve["points"]])
        for verdict in layer["verdicts"]:
            says = verdict.split(": ", 1)[1]
            self.assertTrue(any(f"am-shm: {says}." in one for one in page.captions), says)

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
