#!/usr/bin/env python3
"""am-calibrate commtest: its tables, its JSON, which holds to docs/am-commtest.schema.json and has
every protocol in both sets, and what it refuses.

Usage: commtest_command.py AM-CALIBRATE
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

AM_CALIBRATE = sys.argv[1]
SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs/am-commtest.schema.json"
PROTOCOLS = [f"0,{i}" for i in range(10)] + [f"1,{i}" for i in range(11)]


def run(*options, launcher=()):
    return subprocess.run([*launcher, AM_CALIBRATE, "commtest", *options], capture_output=True,
                          text=True, timeout=200)


def written_by(folder, *options):
    file = pathlib.Path(folder, "commtest.json")
    ended = run(*options, "--json", str(file))
    return ended, json.loads(file.read_text())


class Commtest(unittest.TestCase):
    def check_schema(self, whole):
        if jsonschema is None:
            return
        schema = json.loads(SCHEMA.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(whole)

    def check_rows(self, whole, layers, modes, volumes):
        rows = [(row["layer"], row["mode"], row["volume"], row["protocol"], row["set"])
                for row in whole["rows"]]
        self.assertEqual(sorted(rows), sorted(
            (layer, mode, volume, protocol, one) for layer in layers for mode in modes
            for volume in volumes for protocol in PROTOCOLS for one in "AB"))

    def test_tables_and_file(self):
        modes = ["invalidated", "initialised", "repeated"]
        with tempfile.TemporaryDirectory() as folder:
            ended, whole = written_by(folder, "--layers", "am-shm", "--volume", "8KB", "--rounds",
                                      "1", "--samples", "1")
        # On a machine with other work it may be unfit; it is written all the same.
        self.assertIn(ended.returncode, (0, 3), ended.stderr)
        self.assertNotIn("failed", ended.stderr)
        self.assertTrue(whole["complete"])
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
        self.check_schema(whole)
        if jsonschema is not None:
            whole["rows"][0]["protocol"] = "1,11"
            with self.assertRaises(jsonschema.ValidationError):
                self.check_schema(whole)

    def test_layers_side_by_side(self):
        with tempfile.TemporaryDirectory() as folder:
            ended, whole = written_by(folder, "--quick", "--mode", "initialised", "--rounds", "1",
                                      "--samples", "3")
        self.assertIn(ended.returncode, (0, 3), ended.stderr)
        missing = " ".join(whole["conditions"]["missing"])
        layers = [one for one in ("am-shm", "openmpi", "mpich") if one not in missing]
        self.check_rows(whole, layers, ["initialised"], [131072])
        self.assertEqual({row["runs"] for row in whole["rows"]}, {3})
        self.check_schema(whole)

    def test_pairs_of_four_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            ended, whole = written_by(folder, "--quick", "--layers", "am-shm", "--mode",
                                      "initialised", "--pairs", "0-2,0-2+1-3", "--rounds", "1")
        self.assertIn(ended.returncode, (0, 3), ended.stderr)
        for pairs in ("0-2", "0-2+1-3"):
            self.assertEqual(sum(row["pairs"] == pairs for row in whole["rows"]), 42)
        self.check_schema(whole)

    def test_interrupted(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "commtest.json")
            command = subprocess.Popen(
                [AM_CALIBRATE, "commtest", "--layers", "am-shm", "--volume", "8KB", "--mode",
                 "initialised", "--rounds", "1000", "--json", str(file)],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(5)
            command.send_signal(signal.SIGINT)
            _, err = command.communicate(timeout=100)
            whole = json.loads(file.read_text())
        self.assertEqual(command.returncode, 130, err)
        self.assertIn("stopped", err)
        self.assertFalse(whole["complete"])
        self.check_rows(whole, ["am-shm"], ["initialised"], [8192])
        self.check_schema(whole)

    def test_bad_usage(self):
        for options, line in (
                (["--transport", "self"], "unknown transport 'self'; there are shm"),
                (["--volume", "1MB"], "unknown volume '1MB'; there are 2MB 128KB 8KB"),
                (["--mode", "cold"], "unknown cache mode 'cold'; there are invalidated"),
                (["--pairs", "1-2"], "unknown pair '1-2'; there are 0-1 0-2 0-2+1-3"),
                (["--layers", "am-tcp"], "unknown layer 'am-tcp'; there are am-shm"),
                (["--quick", "--full"], "either --quick or --full"),
                (["--rounds", "0"], "--rounds")):
            ended = run(*options)
            self.assertEqual(ended.returncode, 2)
            self.assertEqual(ended.stdout, "")
            self.assertEqual(ended.stderr.count("\n"), 1)
            self.assertIn(line, ended.stderr)

    def test_in_a_job(self):
        am_run = str(pathlib.Path(AM_CALIBRATE).with_name("am-run"))
        ended = run(launcher=[am_run, "-n", "2"])
        self.assertEqual(ended.returncode, 2)
        self.assertIn("run it outside of a job", ended.stderr)

    def test_file_that_cannot_be_written(self):
        ended = run("--json", "/nonexistent/commtest.json")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot write /nonexistent/commtest.json", ended.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
