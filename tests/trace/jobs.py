#!/usr/bin/env python3
"""The traces of real jobs: every message has both ends, over each transport, under faults and
dials; a killed rank's trace is read; and what am-trace refuses.

Usage: jobs.py AM-RUN AM-TRACE STRESS SPANS
"""

import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from clean_environment import WITHOUT_PROFILE  # noqa: E402
from schemas import check_schema  # noqa: E402

AM_RUN, AM_TRACE, STRESS, SPANS = sys.argv[1:5]
MODULES = pathlib.Path(AM_TRACE).parents[1] / "lib/am"


def run(*command, **env):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=100, stdin=subprocess.DEVNULL, env={**WITHOUT_PROFILE, **env})


class Traces(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.kept.name) / "trace"  # which does not exist yet

    def tearDown(self):
        self.kept.cleanup()

    def job(self, ranks, *words, **env):
        return run(AM_RUN, "-n", ranks, *words, AM_TRACE=str(self.folder), **env)

    def events(self):
        out = self.folder / "all.csv"
        ended = run(AM_TRACE, "merge", self.folder, "-o", out)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        with open(out, encoding="utf-8") as lines:
            return list(csv.DictReader(lines))

    def check_stress(self, transport, **env):
        ended = self.job(3, STRESS, "--seconds", "0.3", AM_TRANSPORT="self," + transport, **env)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        requests = int(re.search(r"(\d+) requests", ended.stdout)[1])
        shown = run(AM_TRACE, "show", self.folder)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        for line in ("one end only", "another handler", "before they were sent"):
            self.assertNotIn(line, shown.stdout)
        events = self.events()
        count = {}
        for one in events:
            count[one["event"]] = count.get(one["event"], 0) + 1
        for kind in ("request", "answer"):
            self.assertEqual(count[kind], count["on_" + kind])
        # How an anonymous namespace is written differs by compiler.
        handled = [one for one in events
                   if one["about"].split("::")[-1] in ("small", "medium", "bulk")
                   and one["event"] in ("on_request", "on_notice", "on_end", "carried")]
        self.assertEqual(len(handled), requests)
        self.assertGreater(count["poll"], 0)

    def test_shm(self):
        self.check_stress("shm")

    def test_one_credit(self):
        self.check_stress("shm", AM_CREDITS="1")

    def test_asleep(self):
        self.check_stress("shm", AM_WAIT="block")

    def test_faults_and_dials(self):
        self.check_stress("shm", AM_FAULT="delay=10,again,seed=1", AM_DIAL="o=+1us,L=+20us")

    def test_tcp(self):
        if not (MODULES / "tcp.so").exists():
            self.skipTest("without tcp")
        self.check_stress("tcp")

    def test_ucx(self):
        if not (MODULES / "ucx.so").exists():
            self.skipTest("without ucx")
        self.check_stress("ucx", UCX_TLS="posix,cma,self", ASAN_OPTIONS="detect_leaks=0")

    def test_json(self):
        self.assertEqual(self.job(2, SPANS).returncode, 0)
        out = self.folder / "all.json"
        self.assertEqual(run(AM_TRACE, "merge", self.folder, "-o", out).returncode, 0)
        whole = json.loads(out.read_text())
        starts = sorted(one["id"] for one in whole["traceEvents"] if one["ph"] == "s")
        ends = sorted(one["id"] for one in whole["traceEvents"] if one["ph"] == "f")
        self.assertEqual(starts, ends)
        self.assertGreaterEqual(len(starts), 2)
        for one in whole["traceEvents"]:
            if one["ph"] == "X":
                self.assertGreaterEqual(one["dur"], 0)
        names = [one["args"]["name"] for one in whole["traceEvents"]
                 if one["ph"] == "M" and one["name"] == "process_name"]
        self.assertEqual([name.split(":")[0] for name in names], ["rank 0 of 2", "rank 1 of 2"])

    def test_states(self):
        self.assertEqual(self.job(2, SPANS).returncode, 0)
        shown = run(AM_TRACE, "states", self.folder)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertEqual([line.split()[0] for line in shown.stdout.splitlines()[:4]],
                         ["rank", "0", "1", "mean"])
        whole = json.loads(run(AM_TRACE, "states", self.folder, "--json").stdout)
        for one in whole["ranks"] + [whole["mean"]]:
            parts = sum(one[name] for name in ("user", "logical", "physical", "overhead"))
            self.assertAlmostEqual(parts / one["elapsed"], 1, places=6)
            self.assertGreater(one["user"], 3.9e6)  # two parts of 2 ms

        def forget_rank(broken):
            del broken["ranks"][0]["rank"]
        check_schema(self, "am-states", whole, [forget_rank])

    def test_states_within_a_span(self):
        self.assertEqual(self.job(2, SPANS).returncode, 0)
        part = json.loads(run(AM_TRACE, "states", self.folder, "--within", "first part",
                              "--json").stdout)
        whole = json.loads(run(AM_TRACE, "states", self.folder, "--json").stdout)
        for one, all_of_it in zip(part["ranks"], whole["ranks"]):
            self.assertGreater(one["elapsed"], 1.9e6)
            self.assertLess(one["elapsed"], all_of_it["elapsed"])
        ended = run(AM_TRACE, "states", self.folder, "--within", "third part")
        self.assertEqual((ended.returncode, ended.stderr), (1, (
            "am-trace: there is no span third part: the trace has first part, in a handler, "
            "second part\n")))

    def dilate(self, *words):
        return run(AM_TRACE, "dilate", *words, TMPDIR=self.kept.name)

    def test_dilation(self):
        job = ("--", AM_RUN, "-n", "2", SPANS)
        ended = self.dilate("--factors", "1,2.5", "--rounds", "2", "--json", *job)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        whole = json.loads(ended.stdout)
        self.assertEqual([row["factor"] for row in whole["rows"]], [1, 2.5])
        self.assertEqual((whole["rounds"], whole["within"]), (2, None))
        for row in whole["rows"]:
            parts = sum(row[name] for name in ("user", "logical", "physical", "overhead"))
            self.assertAlmostEqual(parts / row["elapsed"], 1, places=6)
            self.assertGreater(row["user"], 0)
            self.assertLess(row["user"], 5e6)
        self.assertEqual(list(pathlib.Path(self.kept.name).iterdir()), [])

        def forget_factor(broken):
            del broken["rows"][0]["factor"]
        check_schema(self, "am-dilation", whole, [forget_factor])
        # The first part begins right behind the join. A span ends with its spin.
        for part in ("first part", "second part"):
            for ranks in (1, 2):
                ended = self.dilate("--within", part, "--json", "--factors", "1,10", "--",
                                    AM_RUN, "-n", str(ranks), SPANS, "work")
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))
                one, ten = json.loads(ended.stdout)["rows"]
                self.assertGreater(one["user"], 2e5)
                # A spin that is not counted, or not divided by the factor, is wrong ten times.
                self.assertGreater(ten["user"], 0.3 * one["user"])
                self.assertLess(ten["user"], 3 * one["user"])
                self.assertGreater(ten["elapsed"], 0.9 * ten["user"])
        ended = self.dilate("--factors", "1", "--", SPANS, "--json")
        self.assertEqual((ended.returncode, ended.stdout.splitlines()[0]), (0, f"{SPANS} --json"))

    def test_dilation_refuses(self):
        for words, text in (
                (("--factors", "2,4", "--", "true"), "--factors begins with 2: must begin with 1"),
                (("--factors", "1,4,2", "--", "true"), "--factors has 2 behind 4: must ascend"),
                (("--factors", "1,1001", "--", "true"), "has 1001 behind 1: must ascend, to 1000"),
                (("--rounds", "0", "--", "true"), "--rounds 0: must be 1 to 1000"),
                (("--factors", "1,,2", "--", "true"), "--factors 1,,2: must be numbers"),
                (("--within", "", "--", "true"), "must be a name"),
                (("--factors", "1"), "no command to run: am-trace dilate -- COMMAND")):
            ended = self.dilate(*words)
            self.assertEqual((ended.returncode, len(ended.stderr.splitlines())), (2, 1))
            self.assertIn(text, ended.stderr)
        for command, text in ((("false",), "AM_DILATE=1: false ended with status 1"),
                              (("/nowhere/x",), "/nowhere/x: No such file"),
                              (("env", "AM_DILATE=2", SPANS),
                               "env has run rank 0 with AM_DILATE=2, not 1"),
                              (("true",), "true has written no trace")):
            ended = self.dilate("--", *command)
            self.assertEqual((ended.returncode, len(ended.stderr.splitlines())), (1, 1))
            self.assertIn(text, ended.stderr)
        self.assertEqual(list(pathlib.Path(self.kept.name).iterdir()), [])

    def test_an_interrupted_dilation_prints_the_rounds_that_have_ended(self):
        runs = self.folder.parent.parent / (self.folder.parent.name + ".runs")
        self.addCleanup(lambda: runs.unlink(missing_ok=True))
        for number in (signal.SIGINT, signal.SIGTERM):
            runs.write_text("")
            job = subprocess.Popen(
                [AM_TRACE, "dilate", "--factors", "1,2", "--rounds", "1000", "--", "sh", "-c",
                 'echo >> "$RUNS"; exec "$@"', "sh", AM_RUN, "-n", "2", SPANS],
                stdout=subprocess.PIPE, text=True,
                env={**WITHOUT_PROFILE, "TMPDIR": self.kept.name, "RUNS": str(runs)})
            while len(runs.read_text()) < 3 and job.poll() is None:  # the first round has ended
                time.sleep(0.01)
            job.send_signal(number)
            out, _ = job.communicate(timeout=60)
            self.assertEqual(job.returncode, 128 + number)
            self.assertIn("E_D", out)
            self.assertEqual(list(pathlib.Path(self.kept.name).iterdir()), [])

    def test_ranks_are_dilated_alike(self):
        ended = run(AM_RUN, "-n", "2", "sh", "-c",
                    'test "$AM_JOB_RANK" = 0 && export AM_DILATE=3; exec "$0"', SPANS, AM_DILATE="2")
        self.assertNotEqual(ended.returncode, 0)
        self.assertRegex(ended.stderr, "AM_DILATE is (2 for rank 1 and 3|3 for rank 0 and 2) for this one")

    def test_spans(self):
        for how in ((), ("fork",)):
            shutil.rmtree(self.folder, ignore_errors=True)
            self.assertEqual(self.job(2, SPANS, *how).returncode, 0)
            self.assertEqual(len(list(self.folder.glob("*"))), 2)
            for rank in "01":
                spans = [one for one in self.events()
                         if one["event"] == "span" and one["rank"] == rank]
                self.assertEqual([one["about"] for one in spans],
                                 ["first part", "in a handler", "second part"])
                for one in spans:
                    if one["about"].endswith("part"):
                        self.assertGreater(float(one["duration_ns"]), 1.9e6)

    def test_collectives(self):
        self.assertEqual(self.job(2, SPANS, "team").returncode, 0)
        for rank in "01":
            calls = [(one["about"], one["bytes"]) for one in self.events()
                     if one["event"] == "collective" and one["rank"] == rank]
            self.assertEqual(calls, [("barrier", "0"), ("all_reduce", "8"), ("all_gather", "4"),
                                     ("barrier", "0")])
        shown = run(AM_TRACE, "show", self.folder).stdout
        self.assertRegex(shown, r"\ncollectives  .*\n(.*\n)*barrier +4 ")

    def test_retries(self):
        ended = self.job(2, SPANS, "again", AM_CREDITS="1")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        whole = json.loads(run(AM_TRACE, "states", self.folder, "--json").stdout)
        self.assertEqual([one["retries"] for one in whole["ranks"]], [1, 0])

    def test_earlier_job(self):
        for _ in range(2):
            self.assertEqual(self.job(2, SPANS).returncode, 0)
        shown = run(AM_TRACE, "show", self.folder)
        self.assertEqual(shown.stderr.splitlines(),
                         [f"am-trace: 2 files in {self.folder} are of another job"])
        self.assertEqual(shown.returncode, 0)

    def test_killed_while_all_wait(self):
        self.assertNotEqual(self.job(2, SPANS, "hang").returncode, 0)
        shown = run(AM_TRACE, "show", self.folder)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertEqual(shown.stderr.count("did not leave"), 2)
        for rank in "01":
            self.assertRegex(shown.stdout, rf"\nrank {rank} is in wait since [0-9.]+ ms: no end of it")
        self.assertIn("first part", shown.stdout)

    def test_some_ranks_alone(self):
        first = pathlib.Path(self.kept.name) / "first"  # the rank that makes it has no trace
        ended = run(AM_RUN, "-n", "3", "sh", "-c",
                    'mkdir "$FIRST" 2>/dev/null && unset AM_TRACE; exec "$0"', SPANS,
                    AM_TRACE=str(self.folder), FIRST=str(first))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        shown = run(AM_TRACE, "show", self.folder)
        self.assertEqual((shown.returncode, shown.stderr),
                         (0, "am-trace: 2 of 3 ranks have a trace\n"))

    def test_killed(self):
        self.assertNotEqual(self.job(2, SPANS, "die").returncode, 0)
        shown = run(AM_TRACE, "show", self.folder)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("rank 1 did not leave: its trace ends where it was cut off", shown.stderr)
        out = self.folder / "all.csv"
        run(AM_TRACE, "merge", self.folder, "-o", out)
        with open(out, encoding="utf-8") as lines:
            spans = [one["about"] for one in csv.DictReader(lines)
                     if one["event"] == "span" and one["rank"] == "1"]
        self.assertEqual(spans, ["first part", "in a handler", "second part"])

    def test_refused(self):
        file = pathlib.Path(self.kept.name) / "file"
        file.write_text("")
        ended = run(AM_RUN, "-n", "1", SPANS, AM_TRACE=str(file))
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn(f"AM_TRACE={file}: Not a directory", ended.stderr)
        for words, text in ((("show", self.kept.name + "/none"), "No such file"),
                            (("show", self.kept.name), "has no trace")):
            ended = run(AM_TRACE, *words)
            self.assertEqual((ended.returncode, len(ended.stderr.splitlines())), (1, 1))
            self.assertIn(text, ended.stderr)
        for words in ((), ("show",), ("merge", self.kept.name),
                      ("merge", self.kept.name, "-o", "a.txt")):
            ended = run(AM_TRACE, *words)
            self.assertEqual((ended.returncode, len(ended.stderr.splitlines())), (2, 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
