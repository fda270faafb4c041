#!/usr/bin/env python3
"""am-suite: its table, its page, its JSON, which holds to docs/am-suite.schema.json, and what it
refuses.

Usage: command.py AM-SUITE
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from page import Page, median_text  # noqa: E402
from schemas import check_schema  # noqa: E402

AM_SUITE = sys.argv[1]


def run(*options, cpu=None):
    """On that CPU alone, if one is given."""
    pinned = [] if cpu is None else ["taskset", "-c", str(cpu)]
    return subprocess.run([*pinned, AM_SUITE, *options], capture_output=True, text=True,
                          timeout=100)


class Command(unittest.TestCase):
    def test_json(self):
        done = run("--quick", "--rounds", "1", "--only", "radix,em3d", "--transport", "shm",
                   "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = json.loads(done.stdout)
        self.assertTrue(whole["complete"])
        self.check_schema(whole, (
            lambda w: w.update(schema="am-suite/2"), lambda w: w.pop("complete"),
            lambda w: w["rows"][0].pop("phase"), lambda w: w.update(later=1),
            lambda w: w["rows"][0]["value"].update(unit="us"),
            lambda w: w["traffic"][0].update(messages=-1),
            lambda w: w["ratios"][0]["against"].pop("layer")))
        rows = {(row["program"], row["variant"], row["layer"], row["transport"], row["ranks"],
                 row["phase"]): row["value"] for row in whole["rows"]}
        for key in (("radix", "stores", "am-shm", "shm", 2, "total"),
                    ("radix", "stores", "am-shm", "shm", 2, "permute"),
                    ("em3d", "unroll", "am-shm", "shm", 2, "electric"),
                    ("em3d", "serial", "serial", "self", 1, "total")):
            self.assertGreater(rows[key]["median"], 0, key)
            self.assertEqual(rows[key]["unit"], "ns")
        traffic = {(row["program"], row["variant"], row["ranks"]): row
                   for row in whole["traffic"]}
        self.assertEqual(traffic["radix", "stores", 1]["messages"], 0)
        self.assertGreater(traffic["em3d", "unroll", 2]["reads"], 0)
        against = {(row["program"], row["layer"], row["against"]["layer"])
                   for row in whole["ratios"]}
        self.assertIn(("radix", "am-self", "serial"), against)

    def check_schema(self, whole, changes):
        check_schema(self, "am-suite", whole, changes)

    def test_page(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "suite.html")
            done = run("--quick", "--rounds", "1", "--only", "connect", "-n", "1", "--html",
                       str(file))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Results are checked.", done.stdout)
            page = Page(file.read_text())
        self.assertEqual(page.open, [])
        whole = json.loads(page.json)
        self.assertEqual(whole["schema"], "am-suite/1")
        ratio = median_text(whole["ratios"][0]["ratio"])
        name = "connect reads self"
        self.assertIn([name, ratio], page.rows)
        files = [urllib.parse.unquote(link) for link in page.links]
        self.assertTrue(all(link.startswith("data:text/csv") for link in files), page.links)
        self.assertTrue(any(f"\n{name},{ratio}\n" in link for link in files), files)

    def test_a_page_that_cannot_be_written_keeps_nothing_back(self):
        done = run("--quick", "--rounds", "1", "--only", "fft", "-n", "1", "--html", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write /dev/full", done.stderr)
        self.assertIn("fft bulk self", done.stdout)

    def test_stopped(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "suite.html")
            suite = subprocess.Popen(
                [AM_SUITE, "--quick", "--only", "fft", "--rounds", "1000", "--html", str(file)],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            time.sleep(2)
            suite.send_signal(signal.SIGINT)
            out, _ = suite.communicate(timeout=60)
            self.assertEqual(suite.returncode, 130)
            text = file.read_text()
        self.assertIn("  Stopped before the end.\n", out)
        self.assertIn("<p class='warning'>Stopped before the end.</p>", text)
        self.assertFalse(json.loads(Page(text).json)["complete"])

    def test_one_cpu_measures_nothing_and_says_why(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "suite.html")
            one = min(os.sched_getaffinity(0))
            done = run("--quick", "--only", "fft", "--html", str(file), cpu=one)
            self.assertEqual(done.returncode, 3)
            text = file.read_text()
        self.assertRegex(text, "<p class='warning'>two CPUs .*nothing was measured")
        for said in (done.stdout, text):
            self.assertNotIn("Stopped before the end", said)

    def test_table(self):
        done = run("--quick", "--rounds", "1", "--only", "sample", "-n", "2", "--transport",
                   "shm")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?s)The programs on 2 ranks\n.*messages.*sample stores shm")
        self.assertIn("Results are checked.", done.stdout)

    def test_dials(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "study.html")
            done = run("--quick", "--rounds", "1", "--only", "em3d,mm", "--dial", "o=2us,5us",
                       "--dial", "L=20us..50us", "--html", str(file))
            self.assertEqual(done.returncode, 0, done.stderr)
            page = Page(file.read_text())
        self.assertEqual(page.open, [])
        whole = json.loads(page.json)
        def first(change):
            return lambda w: change(w["sensitivity"][0])
        self.check_schema(whole, (
            first(lambda s: s.pop("dial")), first(lambda s: s.update(dial="x")),
            first(lambda s: s["points"][0].update(dial_ns=0)),
            first(lambda s: s["points"][0].pop("model")), first(lambda s: s.update(later=1)),
            first(lambda s: s["load"].pop("sent")),
            first(lambda s: s.update(departure={"times": 1.0}))))
        rows = {(row["program"], row["variant"], row["dial"]): row
                for row in whole["sensitivity"]}
        self.assertEqual(len(rows), 6)
        for (_, _, dial), row in rows.items():
            self.assertEqual([point["dial_ns"] for point in row["points"]],
                             [2e3, 5e3] if dial == "o" else [2e4, 5e4])
        reads = rows["em3d", "unroll", "L"]
        load = reads["load"]
        # Each node of the other rank is read once in each half of a step.
        self.assertEqual((load["reads"], load["barriers"]), (5000, 40))
        self.assertGreaterEqual(load["sent"], 2 * load["reads"])
        self.assertGreaterEqual(load["handled"], 2 * load["reads"])
        self.assertEqual(reads["model_slope"], 2 * load["reads"] + load["barriers"])
        self.assertEqual(rows["em3d", "unroll", "o"]["model_slope"],
                         load["sent"] + load["handled"])
        # A get over shm is a call and its end, but no message.
        copied = rows["mm", "blocked", "o"]["load"]
        messages, = (row["messages"] for row in whole["traffic"] if row["program"] == "mm")
        self.assertGreaterEqual(copied["gets"], 1)
        self.assertEqual(copied["sent"] + 2 * copied["gets"], messages)
        # No message is early, so a run cannot be shorter than its reads.
        self.assertGreater(reads["points"][-1]["value"]["median"], 2 * load["reads"] * 5e4)
        self.assertIn("Slowdown by o on 2 ranks", done.stdout)
        slowdown = median_text(reads["points"][-1]["slowdown"])
        self.assertTrue(any(row[0] == "em3d unroll shm" and row[2] == slowdown
                            for row in page.rows if len(row) > 2), page.rows)

    def test_a_value_that_takes_too_long_is_left_out(self):
        done = run("--quick", "--rounds", "1", "--only", "sample", "--dial", "L=1us",
                   "--dial", "o=1us,10ms", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = json.loads(done.stdout)
        values = {row["dial"]: [point["dial_ns"] for point in row["points"]]
                  for row in whole["sensitivity"]}
        self.assertEqual(values, {"L": [1e3], "o": [1e3]})
        self.assertIn("sample stores shm: not with o=+10ms or more, where a run takes 6 s",
                      whole["conditions"]["remarks"])

    def test_predictions(self):
        with tempfile.TemporaryDirectory() as folder:
            study, profile, other = (pathlib.Path(folder, name) for name in
                                     ("study.json", "here.json", "there.json"))
            done = run("--quick", "--rounds", "1", "--only", "em3d", "--dial", "o=2us,10us",
                       "--json", str(study))
            self.assertEqual(done.returncode, 0, done.stderr)
            here = self.made_profile(o=20, L=100, g=40, G=0.1)
            profile.write_text(json.dumps(here))
            other.write_text(json.dumps(self.made_profile(o=5020, L=1100, g=40, G=0.05)))
            told = ("predict", str(study), "--profile", str(profile), "--on", str(other))
            done = run(*told, "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            whole = json.loads(done.stdout)
            def first(change):
                return lambda w: change(w["predictions"][0])
            self.check_schema(whole, (
                first(lambda s: s.pop("dials")), first(lambda s: s["here"].pop("L")),
                first(lambda s: s["programs"][0]["parts"].pop("g")),
                first(lambda s: s["programs"][0]["there"].update(ns="1"))))
            said, = whole["predictions"]
            self.assertEqual(said["dials"], "o_s=+5us,o_r=+5us,L=+1us")
            rows = {row["dial"] + row["variant"]: row
                    for row in json.loads(study.read_text())["sensitivity"]}
            self.assertEqual(len(said["programs"]), 2)
            for one in said["programs"]:
                parts, row = one["parts"], rows["o" + one["variant"]]
                self.assertAlmostEqual((parts["o_s"]["ns"] + parts["o_r"]["ns"]) / 5000,
                                       row["slope"], delta=0.01 * row["slope"])
                self.assertTrue(parts["o_s"]["measured"])
                self.assertFalse(parts["L"]["measured"])
                self.assertEqual((parts["g"]["ns"], parts["G"]["ns"]), (0, 0))
                self.assertNotIn("check", one)
            done = run(*told, "--check", "--rounds", "1", "--json", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            whole = json.loads(done.stdout)
            self.check_schema(whole, ())
            for one in whole["predictions"][0]["programs"]:
                self.assertGreater(one["check"]["seen"], 1)
                base = rows["o" + one["variant"]]["base_ns"]
                self.assertEqual(one["base_ns"], rows["o" + one["variant"]]["plain_ns"])
                added = sum(part["ns"] for part in one["parts"].values())
                self.assertAlmostEqual(one["check"]["predicted"], 1 + added / base, delta=0.01)
            unsized = json.loads(study.read_text())
            del unsized["input"]
            file = pathlib.Path(folder, "unsized.json")
            file.write_text(json.dumps(unsized))
            for words, line in (
                    ([str(file), *told[2:], "--check"], "does not say which inputs its programs"),
                    ([*told[1:], "--seed", "1"], "--rounds and --seed need --check"),
                    ([*told[1:4]], "no other machine: --on names a profile of one, --over"),
                    ([*told[1:], "--only", "mm"], "has no program 'mm'"),
                    ([*told[1:], "--json", str(other)], f"--json names {other}, which is read"),
                    ([*told[1:], "--over", "tcp"], "it has not measured tcp; it has shm")):
                done = run("predict", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), words)
                self.assertIn(line, done.stderr)
            done = run("predict", str(study), "--profile", str(profile), "--on", str(profile),
                       "--check")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("not checked: no message costs more there", done.stdout)
            done = run(*told)
            self.assertRegex(done.stdout, r"em3d unroll shm .*\*")
            self.assertRegex(done.stdout, r"there, shm +5020")

    @staticmethod
    def made_profile(o, L, g, G):
        """A profile of this machine, by name, with these costs over shm."""
        def value(number, unit="ns"):
            return {"median": number, "low": None, "high": None, "unit": unit, "n": 1,
                    "reached": False}
        logp = {name: value(o) for name in ("o_s", "o_r", "o_s_stream", "o_r_stream")}
        logp |= {"g": value(g), "L": value(L), "rtt": value(2 * (L + 2 * o))}
        return {"schema": "am-profile/1", "fingerprint": "made", "complete": True,
                "machine": {"cpu": "made", "cores": 2, "caches": [], "hypervisor": None,
                            "kernel": "6", "memory_gib": 1},
                "conditions": {},
                "transports": {"shm": {
                    "logp": logp,
                    "loggp": {"G": value(G, "ns/B"), "g0": value(1),
                              "segments": [{"operation": "store", "from": 1, "to": 2, "g0": 1,
                                            "G": G}]},
                    "by_size": [], "signature": [], "validation": {}, "remarks": []}}}

    def test_predictions_refuse(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "file.json")
            file.write_text('{"schema": "am-peers/1"}')
            for options, line in (
                    ([], "STUDY is required"),
                    (["none.json"], "cannot read 'none.json': No such file or directory"),
                    ([str(file)], 'schema is "am-peers/1", expected "am-suite/1"')):
                done = run("predict", *options)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(line, done.stderr)
            done = run("--quick", "predict", str(file))
            self.assertEqual(done.returncode, 2)
            self.assertIn("--quick stands in front of predict", done.stderr)

    def test_bad_usage(self):
        for options, line in (
                (["--only", "none"], "unknown program 'none'; there are radix"),
                (["--transport", "smoke"], "unknown transport 'smoke'; there are shm"),
                (["--html", "same", "--json", "same"], "--json and --html both name same"),
                (["--html", "-"], "--html takes the name of a file, not -"),
                (["--dial", "p=1us"], "unknown dial 'p'; there are o"),
                (["--dial", "o=5"], "dial o: '5' is not a time such as 5us or 0.5ns"),
                (["--dial", "o=1us", "--dial", "o=2us"], "--dial names o twice"),
                (["--dial", "o=1us", "-n", "1,2"], "-n 1 has no messages"),
                (["-n", "0"], "am-suite --help tells more")):
            done = run(*options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(line, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
