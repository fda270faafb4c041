#!/usr/bin/env python3
"""am-calibrate comb: its tables, its JSON, which holds to docs/am-comb.schema.json, what it keeps
when it is stopped, and what it refuses.

Usage: comb_command.py AM-CALIBRATE
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
SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs/am-comb.schema.json"


def run(*options, launcher=()):
    return subprocess.run([*launcher, AM_CALIBRATE, "comb", *options], capture_output=True,
                          text=True, timeout=200)


def check_schema(case, whole):
    if jsonschema is None:
        return
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(whole)
    if whole["layers"]:
        whole["layers"][0]["polling"][0]["points"][0]["piece"]["unit"] = "us"
        with case.assertRaises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(schema).validate(whole)


class Comb(unittest.TestCase):
    def test_tables_and_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "comb.json")
            ended = run("--quick", "--layers", "am-shm", "--rounds", "1", "--json", str(file))
            # One round on a machine with other work may be unfit; it is written all the same.
            self.assertIn(ended.returncode, (0, 3), ended.stderr)
            whole = json.loads(file.read_text())
        for size in ("10 KB x 4", "100 KB x 4"):
            for head in ("Polling over shm: ", "Post-work-wait over shm: ",
                         "Post-work-wait with one test over shm: "):
                self.assertIn(head + size, ended.stdout)
        self.assertTrue(whole["complete"])
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
        check_schema(self, whole)

    def test_one_size_and_depth(self):
        ended = run("--quick", "--layers", "am-shm", "--rounds", "1", "--bytes", "64", "--depths",
                    "1", "--json", "-")
        self.assertIn(ended.returncode, (0, 3), ended.stderr)
        [layer] = json.loads(ended.stdout)["layers"]
        self.assertEqual([(one["bytes"], one["depth"]) for one in layer["polling"]], [(64, 1)])

    def test_stopped(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "comb.json")
            child = subprocess.Popen([AM_CALIBRATE, "comb", "--quick", "--layers", "am-shm",
                                      "--rounds", "1000", "--json", str(file)],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(6)
            child.send_signal(signal.SIGINT)
            said = child.communicate(timeout=60)
            self.assertEqual(child.returncode, 130, said)
            self.assertIn("Stopped before the end", said[0])
            whole = json.loads(file.read_text())
        self.assertFalse(whole["complete"])
        check_schema(self, whole)

    def test_bad_usage(self):
        for options, line in (
                (["--transport", "self"], "unknown transport 'self'; there are shm"),
                (["--layers", "am-slow"], "unknown layer 'am-slow'; there are am-shm"),
                (["--bytes", "7"], "messages of 7 bytes; they have 8 to 10000000"),
                (["--depths", "65"], "65 messages under way; there are 1 to 64"),
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
        ended = run("--json", "/nonexistent/comb.json")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot write /nonexistent/comb.json", ended.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
