#!/usr/bin/env python3
"""A benchmark of NISTIR 4630: both variants on 1 to 4 ranks over shm and tcp, with one credit,
and with other parameters; it checks its own result. Then what it counts, and its options.

Usage: nist.py NAME AM-RUN PROGRAM [tcp]
"""

import json
import os
import subprocess
import sys
import unittest

NAME, AM_RUN, PROGRAM, *OTHER_TRANSPORTS = sys.argv[1:]
SIZE = {"ring": "messages", "mesh": "iterations", "rc": "items"}[NAME]
# Of a rank, and of a run as the paper has it.
SMALL = {"ring": {"comm": 7, "comp": 3}, "mesh": {"comm": 20, "comp": 5},
         "rc": {"comm": 20000, "comp": 60000}}[NAME]
PAPER = {"ring": {"comm": 70, "comp": 10}, "mesh": {"comm": 400, "comp": 50},
         "rc": {"comm": 320000, "comp": 256000}}[NAME]
# Of one interaction: 128, 640 and 383 or 12800, 102400 and 17430 items.
GRAIN = {"ring": {"comm": {"length": 128, "compute": 1}, "comp": {"length": 128, "compute": 100}},
         "mesh": {"comm": {"length": 128, "compute": 1}, "comp": {"length": 128, "compute": 160}},
         "rc": {"comm": {"every": 383, "compute": 15}, "comp": {"every": 17430, "compute": 15}}}[NAME]


def run(ranks, *options, transport="shm", **settings):
    return subprocess.run([AM_RUN, "-n", str(ranks), PROGRAM, *map(str, options)], timeout=100,
                          env={**os.environ, "AM_TRANSPORT": f"self,{transport}", **settings},
                          capture_output=True, text=True)


def measured(ranks, *options, **settings):
    done = run(ranks, "--json", *options, **settings)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{options} on {ranks}: status {done.returncode}: {done.stderr}")
    one, = map(json.loads, done.stdout.splitlines())
    return one


def small(ranks, variant, *options, **settings):
    return measured(ranks, "--variant", variant, f"--{SIZE}", SMALL[variant], *options, **settings)


class Results(unittest.TestCase):
    def check_ring(self, one, ranks, messages):
        visits = ranks * ranks * messages
        self.assertEqual(one["checked"], {"circuits": ranks * messages, "visits": visits,
                                          "acknowledgements": visits})
        self.assertEqual(one["messages"], 2 * visits / ranks)

    def check_mesh(self, one, ranks, iterations):
        self.assertEqual(one["checked"], {"messages": 4 * ranks * iterations, "words": 128 * ranks})
        self.assertEqual(one["messages"], 4 * iterations)

    def check_rc(self, one, ranks, items):
        checked = one["checked"]
        self.assertEqual(checked["items"], ranks * items)
        self.assertEqual(checked["acknowledgements"], checked["messages"])
        self.assertGreaterEqual(checked["terminations"], ranks)
        ends = ranks - 1
        self.assertEqual(round(one["messages"] * ranks),
                         2 * checked["messages"] + checked["terminations"] + ends)
        self.assertEqual(checked["messages"] > 0, ranks > 1)

    def check(self, ranks, variant, **settings):
        one = small(ranks, variant, **settings)
        self.assertEqual((one["program"], one["variant"], one["ranks"], one["size"], one["right"]),
                         (NAME, variant, ranks, SMALL[variant], True))
        {"ring": self.check_ring, "mesh": self.check_mesh, "rc": self.check_rc}[NAME](
            one, ranks, SMALL[variant])

    def test_both_variants_on_every_number_of_ranks_over_every_transport(self):
        for transport in ("shm", *OTHER_TRANSPORTS):
            for ranks in (1, 2, 3, 4):
                for variant in SMALL:
                    with self.subTest(transport=transport, ranks=ranks, variant=variant):
                        self.check(ranks, variant, transport=transport)

    def test_with_one_credit(self):
        for transport in ("shm", *OTHER_TRANSPORTS):
            for variant in SMALL:
                with self.subTest(transport=transport, variant=variant):
                    self.check(3, variant, transport=transport, AM_CREDITS="1")

    def test_with_other_parameters(self):
        for options in (("--length", 1), ("--compute", 7, "--length", 1000), ("--seed", 77)):
            with self.subTest(options=options):
                self.assertTrue(small(3, "comm", *options)["right"])

    def test_the_defaults_are_those_of_the_paper(self):
        for variant, size in PAPER.items():
            parameters = measured(2, "--variant", variant)["parameters"]
            self.assertEqual(parameters, {**parameters, SIZE: size, **GRAIN[variant]})

    @unittest.skipIf(NAME != "mesh", "only mesh is a torus")
    def test_tori_of_other_shapes(self):
        for rows in (1, 2, 3, 6):
            self.assertTrue(small(6, "comm", "--rows", rows)["right"])

    @unittest.skipIf(NAME != "rc", "only rc is random")
    def test_the_values_alone_say_how_many_messages_there_are(self):
        first, second = (small(3, "comm", "--poll", poll)["checked"] for poll in (16, 1000))
        self.assertEqual(first["messages"], second["messages"])
        self.assertEqual(first["passed_on"], second["passed_on"])
        grain = first["items"] / first["messages"]
        self.assertLess(abs(grain / 383 - 1), 0.3)

    @unittest.skipIf(NAME != "rc", "only rc limits what is not acknowledged")
    def test_one_message_at_a_time(self):
        self.assertTrue(small(3, "comm", "--unacknowledged", 1)["right"])


class Options(unittest.TestCase):
    def refused(self, ranks, words, line):
        done = run(ranks, *words)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertIn(line, done.stderr.splitlines())

    def test_help(self):
        done = run(1, "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"--{SIZE} N", done.stdout)
        self.assertIn(f"by default {PAPER['comm']}, of comp {PAPER['comp']}", done.stdout)
        self.assertNotIn("--size", done.stdout)

    def test_the_text(self):
        done = run(2, f"--{SIZE}", SMALL["comm"])
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, rf"^{NAME} comm: {SMALL['comm']} .* on 2 ranks in .*: right\n")
        self.assertIn(f"  parameters: {SIZE} {SMALL['comm']}, length 128, ", done.stdout)
        self.assertIn("  checked: ", done.stdout)

    def test_bad_usage(self):
        see = f"(see {NAME} --help)"
        self.refused(1, ["--none"], f"{NAME}: there is no option --none {see}")
        self.refused(1, ["--size", "3"], f"{NAME}: there is no option --size {see}")
        self.refused(1, ["--per-rank"], f"{NAME}: there is no option --per-rank {see}")
        self.refused(1, ["--length", "0"], f"{NAME}: --length '0': must be 1 or more {see}")
        self.refused(1, ["--compute=x"], f"{NAME}: --compute 'x': must be 1 or more {see}")

    def test_what_the_job_cannot_run(self):
        self.refused(2, ["--length", "2049"], f"{NAME}: --length 2049: a message has at most "
                                              "2048 words (AM_MAX_MEDIUM)")
        if NAME == "mesh":
            self.refused(3, ["--rows", "2"],
                         "mesh: --rows 2: must divide the number of ranks, 3")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
