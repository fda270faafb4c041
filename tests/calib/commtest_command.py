#!/usr/bin/env python3
"""am-calibrate commtest: its tables, its curves, its page, its JSON, which holds to docs/am-commtest.schema.json and has
every protocol in both sets, and what it refuses.

Usage: commtest_command.py AM-CALIBRATE
"""

import sys
import unittest

from pair_command import DrawingCommand
from page import median_text

PROTOCOLS = [f"0,{i}" for i in range(10)] + [f"1,{i}" for i in range(11)]


class Commtest(DrawingCommand, unittest.TestCase):
    command = "commtest"
    shortest = ("--quick", "--layers", "am-shm", "--mode", "initialised", "--volume", "8KB")
    curves_of = "\nThe protocols that swap most: shm, pair 0-1, 8KB, initialised; a dotted line is "
    refused = (
        *DrawingCommand.refused,
        (["--transport", "self"], "unknown transport 'self'; there are shm"),
        (["--volume", "1MB"], "unknown volume '1MB'; there are 2MB 128KB 8KB"),
        (["--mode", "cold"], "unknown cache mode 'cold'; there are invalidated"),
        (["--pairs", "1-2"], "unknown pair '1-2'; there are 0-1 0-2 0-2+1-3"),
        (["--layers", "am-tcp"], "unknown layer 'am-tcp'; there are am-shm"),
        (["--quick", "--full"], "either --quick or --full"),
        (["--rounds", "0"], "--rounds"))

    @staticmethod
    def broken(whole):
        whole["rows"][0]["protocol"] = "1,11"

    def check_rows(self, whole, layers, modes, volumes):
        rows = [(row["layer"], row["mode"], row["volume"], row["protocol"], row["set"])
                for row in whole["rows"]]
        self.assertEqual(sorted(rows), sorted(
            (layer, mode, volume, protocol, one) for layer in layers for mode in modes
            for volume in volumes for protocol in PROTOCOLS for one in "AB"))

    def test_tables_and_file(self):
        modes = ["invalidated", "initialised", "repeated"]
        ended, whole = self.measure("--layers", "am-shm", "--volume", "8KB", "--samples", "1")
        self.assertNotIn("failed", ended.stderr)
        self.check_rows(whole, ["am-shm"], modes, [8192])
        for row in whole["rows"]:
            self.assertEqual(row["runs"], 1)
            self.assertEqual([one["packets"] for one in row["times"]],
                             [2**i for i in range(11)])
            for one in row["times"]:
                self.assertGreater(one["time"]["of_least"], 0)
                self.assertGreater(one["time"]["over_runs"]["median"], 0)
            self.assertEqual("idle" in row, row["protocol"].startswith("1,"))
        self.assertEqual(len(whole["best"]), len(modes))
        for mode in modes:
            self.assertIn(f"\nam-shm, pair 0-1, 8KB, {mode}\n", ended.stdout)
        self.assertEqual(ended.stdout.count("\n  1,10 "), len(modes))

    def test_layers_side_by_side(self):
        _, whole, page = self.measure_page("--quick", "--mode", "initialised", "--samples", "3")
        missing = " ".join(whole["conditions"]["missing"])
        layers = [one for one in ("am-shm", "openmpi", "mpich") if one not in missing]
        self.check_rows(whole, layers, ["initialised"], [131072])
        self.assertEqual({row["runs"] for row in whole["rows"]}, {3})
        self.check_page(whole, page, layers)

    def check_page(self, whole, page, layers):
        """Of one volume and cache mode: each figure has its points, and its table the figures of
        the file."""
        rows = {(row["layer"], row["protocol"], row["set"]): row for row in whole["rows"]}
        self.assertEqual(page.points, [4 * 5 * len(layers), len(rows), len(rows)])
        self.assertEqual(page.captions[0], "\n".join(whole["best"]))
        layers = list(dict.fromkeys(row["layer"] for row in whole["rows"]))  # in this order
        for name in ("alpha", "beta"):
            table = page.tables[f"{name}-shm-0-1-initialised-131072.csv"]
            self.assertEqual(table[0][1:], [f"{layer} {one}" for layer in layers for one in "AB"])
            for line in table[1:]:
                self.assertEqual(line[1:], [
                    median_text(rows[layer, line[0], one][name]["over_runs"]["median"])
                    for layer in layers for one in "AB"])
        times = page.tables["times-shm-0-1-initialised-131072.csv"]
        best = [rows[(*title.split()[:3],)] for title in times[0][1::3]]
        self.assertEqual(len(best), 2 * len(layers))
        for line, packets in zip(times[1:], (1, 8, 64, 512, 1024), strict=True):
            self.assertEqual(line[0], str(packets))
            for row, us in zip(best, line[1::3], strict=True):
                [time] = [one["time"] for one in row["times"] if one["packets"] == packets]
                self.assertEqual(us, median_text(time["over_runs"]["median"] / 1000))
        for row in best:
            ordered = row["protocol"].startswith("1,")
            self.assertEqual(row["swap"]["of_least"], max(
                one["swap"]["of_least"] for one in whole["rows"] if one["layer"] == row["layer"]
                and one["protocol"].startswith("1,") == ordered))

    def test_pairs_of_four_processes(self):
        _, whole, page = self.measure_page("--quick", "--layers", "am-shm", "--mode",
                                           "initialised", "--pairs", "0-2,0-2+1-3")
        self.assertEqual(page.points[0], 2)
        self.assertRegex(page.captions[0], r"am-shm: [0-9.]+ times as much in pair 0-2\+1-3 as in")
        self.assertEqual([row[0] for row in page.tables["pairs-shm-128KB-initialised.csv"][1:]],
                         ["pair 0-2", "pair 0-2+1-3"])
        for pairs in ("0-2", "0-2+1-3"):
            self.assertEqual(sum(row["pairs"] == pairs for row in whole["rows"]), 42)

    def test_stopped(self):
        whole = self.measure_until_stopped("--layers", "am-shm", "--volume", "8KB", "--mode",
                                           "initialised")
        self.check_rows(whole, ["am-shm"], ["initialised"], [8192])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
