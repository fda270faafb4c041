#!/usr/bin/env python3
"""A program of the suite: every variant on 1 to 7 ranks, with two seeds, which checks its own
result; what it counts; and its options.

Usage: programs.py NAME AM-RUN PROGRAM [tcp]
"""

import json
import math
import os
import subprocess
import sys
import unittest

NAME, AM_RUN, PROGRAM, *OTHER_TRANSPORTS = sys.argv[1:]
RANKS = (1, 2, 3, 4, 7)
VARIANTS = {"radix": ["stores"], "radb": ["bulk"], "sample": ["stores"],
            "em3d": ["simple", "bundle", "unroll", "get", "put", "store", "bulk"],
            "barnes": ["gets"], "pray": ["gets", "reads"], "murphi": ["bulk"],
            "connect": ["reads"], "nowsort": ["bulk"], "mm": ["blocked", "cannon"],
            "lu": ["blocked"], "fft": ["bulk"]}[NAME]
# A multiple of twice each number of ranks; of murphi, enough for two values of the line.
SIZE = {"em3d": 504, "barnes": 1680, "murphi": 60480, "mm": 168, "lu": 336}.get(NAME, 8400)
COMPUTED = 8192 if NAME == "fft" else SIZE


def run(ranks, *options, transport="shm", program=PROGRAM):
    return subprocess.run([AM_RUN, "-n", str(ranks), program, *map(str, options)], timeout=100,
                          env={**os.environ, "AM_TRANSPORT": f"self,{transport}"},
                          capture_output=True, text=True)


def measured(ranks, *options, **settings):
    done = run(ranks, "--json", *options, **settings)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{options} on {ranks}: status {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


class Results(unittest.TestCase):
    def check(self, ranks, variant, **settings):
        seed = 1 if ranks % 2 == 0 else 77
        one, = measured(ranks, "--size", SIZE, "--seed", seed, "--variant", variant, **settings)
        self.assertEqual((one["program"], one["variant"], one["ranks"], one["size"], one["seed"],
                          one["right"]), (NAME, variant, ranks, COMPUTED, seed, True))
        self.assertLessEqual(max(one["phases"].values()), one["seconds"] * 1.001)

    def test_every_variant_is_right_on_every_number_of_ranks(self):
        for ranks in RANKS:
            for variant in VARIANTS:
                with self.subTest(ranks=ranks, variant=variant):
                    self.check(ranks, variant)

    def test_over_other_transports(self):
        for transport in OTHER_TRANSPORTS:
            for ranks in (2, 3):
                for variant in VARIANTS:
                    with self.subTest(transport=transport, ranks=ranks, variant=variant):
                        self.check(ranks, variant, transport=transport)

    def test_the_serial_reference_is_right(self):
        self.check(1, "serial")

    def test_several_samples(self):
        self.assertEqual(len(measured(2, "--size", SIZE, "--samples", 3)), 3)


class Counts(unittest.TestCase):
    """Of two ranks. Beside the accesses there are the messages of collectives: a few each."""

    def of(self, variant):
        one, = measured(2, "--size", SIZE, "--variant", variant)
        return one

    def check_messages(self, one, expected, collectives):
        self.assertGreaterEqual(one["messages"], expected)
        self.assertLessEqual(one["messages"], expected + 12 * collectives)

    @unittest.skipIf(NAME != "em3d", "only em3d reads")
    def test_a_read_is_two_messages(self):
        for variant in ("simple", "bundle", "unroll", "get"):
            one = self.of(variant)
            self.assertGreater(one["reads"], 0)
            self.check_messages(one, one["reads"], one["barriers"])
            self.assertEqual(one["bulk_messages"], 0)

    @unittest.skipIf(NAME != "em3d", "only em3d has both")
    def test_a_put_is_two_messages_and_a_store_is_one(self):
        stores = self.of("store")["messages"]
        put = self.of("put")
        self.check_messages(put, 2 * (stores - 12 * put["barriers"]), 4 * put["barriers"])
        self.assertGreater(put["messages"], 1.5 * stores)

    @unittest.skipIf(NAME not in ("radix", "sample"), "only these store each key")
    def test_a_key_for_another_rank_is_one_message(self):
        one = self.of("stores")
        passes, scanned = {"radix": (3, 2048 / 2), "sample": (1, 0)}[NAME]
        # Half of the keys are for the other rank, but not exactly half.
        about = passes * (SIZE / 4 + scanned)
        self.assertLess(abs(one["messages"] / about - 1), 0.15)
        self.assertLess(one["bulk_messages"] / one["messages"], 0.02)

    @unittest.skipIf(NAME != "connect", "only connect reads labels")
    def test_most_messages_of_connect_are_reads(self):
        one = self.of("reads")
        # Of the 92 edges in a column, 30 % lead to the other rank.
        self.assertGreater(one["reads"], 2 * 92 * 0.3 / 2)
        self.assertLess(one["reads"], 12 * 92 * 0.3 / 2)
        self.check_messages(one, one["reads"], 2 * one["barriers"])
        self.assertEqual(one["bulk_messages"], 0)

    @unittest.skipIf(NAME in ("radix", "sample", "connect", "barnes", "pray"),
                     "these have no bulk data, or read it")
    def test_bulk_data_is_few_messages(self):
        one = self.of("bulk" if "bulk" in VARIANTS else VARIANTS[0])
        self.assertLess(one["messages"], 12 * one["barriers"] + 4 * one["bulk_messages"])
        self.assertGreater(one["bulk_bytes"], 1000)

    @unittest.skipIf(NAME != "nowsort", "only nowsort sends records")
    def test_a_piece_is_one_message(self):
        one = self.of("bulk")
        sent = one["bulk_bytes"] / 100  # records: half of a rank's, but not exactly half
        self.assertLess(abs(sent / (SIZE / 4) - 1), 0.1)
        self.assertEqual(one["bulk_messages"], math.ceil(sent / 640))
        self.check_messages(one, one["bulk_messages"] + 1, one["barriers"])

    @unittest.skipIf(NAME != "lu", "only lu gets blocks")
    def test_a_panel_goes_to_a_rank_once(self):
        one = self.of("blocked")
        steps = SIZE // 64  # behind each of which there are more blocks
        # In each, one of the ranks gets the diagonal block and those below it, by two gets. Their
        # owner sends a word before each; and one about the last block.
        self.assertEqual(one["bulk_messages"], steps)
        self.assertEqual(one["reads"], 2 * steps)
        self.assertEqual(one["bulk_bytes"], 8 * 64 * 64 * (steps + steps * (steps + 1) / 2) / 2)
        self.check_messages(one, one["reads"] + steps + 1 / 2, one["barriers"])

    @unittest.skipIf(NAME not in ("barnes", "pray"), "only these read bulk data into a cache")
    def test_a_bulk_read_is_two_messages(self):
        for variant in VARIANTS:
            one = self.of(variant)
            self.assertGreater(one["reads"], 100)
            # Boxes and cells are more than words in collectives, too.
            self.assertGreaterEqual(one["bulk_messages"], one["reads"] / 2)
            self.assertLessEqual(one["bulk_messages"], one["reads"] / 2 + one["barriers"])
            # A tile of pray is an atomic operation.
            tiles = {"barnes": 0, "pray": 36}[NAME]
            self.check_messages(one, one["reads"], one["barriers"] + tiles)

    @unittest.skipIf(NAME != "pray", "only pray has both")
    def test_gets_bring_hardly_more_than_reads(self):
        # Chance deals the tiles. Where a rank has all, it reads half of what two read that need
        # every list.
        self.assertLess(self.of("gets")["reads"], 2.5 * self.of("reads")["reads"])


class Options(unittest.TestCase):
    def refused(self, words, line):
        done = run(1, *words)
        self.assertEqual(done.returncode, 2)
        self.assertIn(line, done.stderr)

    def test_help(self):
        done = run(1, "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Examples:", done.stdout)
        self.assertIn(", ".join(VARIANTS[:1]), done.stdout)

    def test_bad_usage(self):
        self.refused(["--none"], f"{NAME}: there is no option --none (see {NAME} --help)")
        self.refused(["--size", "huge"],
                     "--size 'huge': must be quick, normal, paper, or a number")
        self.refused(["--seed=-1"], "--seed '-1': must be a whole number")
        self.refused(["--variant", "other"], "--variant 'other': must be one of")
        self.refused(["--samples", "0"], "--samples '0': must be 1 or more")
        done = run(2, "--variant", "serial")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--variant serial is for 1 rank, not 2", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
