#!/usr/bin/env python3
"""am-calibrate dials: its tables, its JSON, which holds to docs/am-dials.schema.json, and what it
refuses.

Usage: dials_command.py AM-CALIBRATE TRANSPORT
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

AM_CALIBRATE, TRANSPORT = sys.argv[1:3]
SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs/am-dials.schema.json"


def run(*options, launcher=()):
    return subprocess.run([*launcher, AM_CALIBRATE, "dials", *options], capture_output=True,
                          text=True, timeout=200)


class Dials(unittest.TestCase):
    def test_tables_and_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "dials.json")
            ended = run("--quick", "--transport", TRANSPORT, "--rounds", "1", "--samples", "3",
                        "--json", str(file))
            # One round on a machine with other work may be off or unfit; it is written all the same.
            self.assertIn(ended.returncode, (0, 1, 3), ended.stderr)
            self.assertNotIn("failed", ended.stderr)
            whole = json.loads(file.read_text())
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
        self.assertTrue(whole["complete"])
        self.assertEqual(ended.returncode == 0,
                         not whole["off"] and not whole["conditions"]["unfit"])
        if jsonschema is not None:
            schema = json.loads(SCHEMA.read_text())
            jsonschema.Draft202012Validator.check_schema(schema)
            jsonschema.Draft202012Validator(schema).validate(whole)
            del measured["dials"][0]["points"][0]["changes"]["rtt"]["unit"]
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.Draft202012Validator(schema).validate(whole)

    def test_bad_usage(self):
        for options, line in (
                (["--transport", "self"], "unknown transport 'self'; there are shm"),
                (["--rounds", "0"], "--rounds"),
                (["--full"], "--full")):
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
        ended = run("--json", "/nonexistent/dials.json")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot write /nonexistent/dials.json", ended.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
