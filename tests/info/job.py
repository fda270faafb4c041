#!/usr/bin/env python3
"""am-info in a job: which transport connects which pair, and how a process has joined."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from clean_environment import WITHOUT_PROFILE  # noqa: E402

AM_RUN, AM_INFO = sys.argv[1:3]
HAS_TCP = (pathlib.Path(AM_INFO).parents[1] / "lib/am/tcp.so").exists()
# Without the variables of other launchers, too.
CLEAN = {name: value for name, value in WITHOUT_PROFILE.items()
         if not re.match(r"(PMIX?|OMPI|SLURM)_", name)}
LAUNCHER_VARIABLES = ["AM_BOOTSTRAP", "AM_JOB_FD", "PMIX_NAMESPACE", "PMIX_RANK", "OMPI_COMM_WORLD_SIZE",
            "PMI_SIZE", "SLURM_STEP_NUM_TASKS"]


def run(*command, **env):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=100, stdin=subprocess.DEVNULL, env={**CLEAN, **env})


def alone(*words, **env):
    return run(AM_INFO, *words, **env)


def job(ranks, *words, **env):
    return run(AM_RUN, "-n", ranks, AM_INFO, *words, **env)


def each(ranks, script, *words, **env):
    """Every rank runs this script first, which may set variables for this rank only."""
    return run(AM_RUN, "-n", ranks, "sh", "-c", script + '\nexec "$0" "$@"', AM_INFO, *words, **env)


SELF_ROW = "self: self reaches this rank alone"  # in every row of two different ranks


def without(value, *names):
    return "; ".join(f"{name}: AM_TRANSPORT={value} leaves it out" for name in names)


def rows(text):
    """The table of pairs: from, to, by, and what was tried before."""
    table = re.sub(r"\n {9,}", "; ", text.split("\nfrom ")[1])  # each try has a line
    lines = table.splitlines()[1:]
    return [re.split(r"  +", line, maxsplit=3) for line in lines]


class Case(unittest.TestCase):
    def good(self, done, status=0):
        self.assertEqual((done.returncode, done.stderr), (status, ""), done.stdout)
        return done.stdout

    def json_of(self, done, status=0):
        """Its JSON."""
        self.assertEqual(done.returncode, status, done.stderr)
        whole = json.loads(done.stdout)
        self.assertEqual(whole["schema"], "am-info/1")
        return whole

    def pairs(self, done, ranks, status=0):
        """By (from, to); each occurs once."""
        found = self.json_of(done, status)["transports"]
        self.assertEqual([row["rank"] for row in found["ranks"]], list(range(ranks)))
        pairs = {(row["from"], row["to"]): row for row in found["pairs"]}
        self.assertEqual(sorted(pairs), [(a, b) for a in range(ranks) for b in range(ranks)])
        self.assertEqual(len(found["pairs"]), ranks * ranks)
        self.assertEqual(found["all_reached"], all(row["transport"] for row in found["pairs"]))
        self.assertEqual(found["all_reached"], status == 0)
        return pairs


class Transports(Case):
    def test_alone(self):
        self.assertRegex(self.good(alone("--transports")),
                         r"\Atransport +ranks\nself +0 +can be used\nshm +0 +can be used\n"
                         r"ucx +0 +no: .*\ntcp +0 +no: .*\n\nfrom +to +by +tried before\n0 +itself +self\n\Z")

    def test_a_module_that_cannot_be_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "tcp.so").write_text("no module\n")
            done = alone("--transports", "--json", AM_MODULE_PATH=folder)
            tried = {row.pop("transport"): row
                    for row in self.json_of(done)["transports"]["ranks"][0]["transports"]}
            self.assertEqual((tried["self"], tried["shm"]), ({"usable": True}, {"usable": True}))
            self.assertFalse(tried["tcp"]["usable"])
            self.assertRegex(tried["tcp"]["outcome"], rf"\Acannot load it: {folder}/tcp\.so: ")

    def test_all_pairs_by_shared_memory(self):
        text = self.good(job(4, "--transports"))
        self.assertEqual(rows(text), [["0-3", "0-3", "shm", SELF_ROW], ["0-3", "itself", "self"]])
        self.assertEqual(text.count("from "), 1)  # one rank prints it

    def test_every_pair_in_json(self):
        for (origin, to), row in self.pairs(job(3, "--transports", "--json"), 3).items():
            with self.subTest(origin=origin, to=to):
                self.assertEqual(row["transport"], "self" if origin == to else "shm")
                tried = [] if origin == to else [
                    {"transport": "self", "outcome": "self reaches this rank alone"}]
                self.assertEqual(row["tried"], tried)

    @unittest.skipUnless(HAS_TCP, "tcp is not built")
    def test_lists_of_transports(self):
        for value in ("tcp", "^shm,^ucx"):
            with self.subTest(value=value):
                text = self.good(job(4, "--transports", AM_TRANSPORT=value))
                self.assertEqual(rows(text)[0], ["0-3", "0-3", "tcp",
                                                 f"{SELF_ROW}; {without(value, 'shm', 'ucx')}"])
                self.assertRegex(text, rf"shm +0-3 +no: AM_TRANSPORT={re.escape(value)} leaves it out\n")

    @unittest.skipUnless(HAS_TCP, "tcp is not built")
    def test_a_rank_that_leaves_shared_memory_out(self):
        script = "AM_TRANSPORT=shm,tcp; test $AM_JOB_RANK != 2 || AM_TRANSPORT=tcp; export AM_TRANSPORT"
        text = self.good(each(4, script, "--transports"))
        self.assertEqual(rows(text), [
            ["0-1,3", "0-1,3", "shm", SELF_ROW],
            ["0-1,3", "2", "tcp", f"{SELF_ROW}; shm: that rank does not use it; "
             + without("shm,tcp", "ucx")],
            ["2", "0-1,3", "tcp", f"{SELF_ROW}; {without('tcp', 'shm', 'ucx')}"],
            ["0-3", "itself", "self"]])
        self.assertIn("shm        0-1,3  can be used\n", text)
        pairs = self.pairs(each(4, script, "--transports", "--json"), 4)
        self.assertEqual(pairs[0, 2]["tried"][1],
                         {"transport": "shm", "outcome": "rank 2 does not use it"})

    def test_a_pair_without_a_transport(self):
        script = "export AM_TRANSPORT=self; test $AM_JOB_RANK = 1 || export AM_TRANSPORT=shm"
        done = each(3, script, "--transports")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(rows(done.stdout), [
            ["0,2", "0,2", "shm", SELF_ROW],
            ["0,2", "1", "nothing", f"{SELF_ROW}; shm: that rank does not use it; "
             + without("shm", "ucx", "tcp")],
            ["1", "0,2", "nothing", f"{SELF_ROW}; {without('self', 'shm', 'ucx', 'tcp')}"],
            ["0-2", "itself", "self"]])
        pairs = self.pairs(each(3, script, "--transports", "--json"), 3, 1)
        self.assertEqual([row["transport"] for row in pairs.values()],
                         ["self", None, "shm", None, "self", None, "shm", None, "self"])

    @unittest.skipUnless(HAS_TCP, "tcp is not built")
    def test_a_lost_connection_is_no_route(self):
        done = job(2, "--transports", "--json", AM_TRANSPORT="tcp", AM_FAULT="reset=1")
        for (origin, to), row in self.pairs(done, 2, 1).items():
            if origin != to:
                self.assertIsNone(row["transport"])
                self.assertRegex(row["tried"][-1]["outcome"], "lost")

    @unittest.skipUnless(HAS_TCP, "tcp is not built")
    def test_remarks_on_a_route(self):
        for faults in ({}, {"AM_FAULT": "delay"}):
            text = self.good(job(2, "--transports", AM_TRANSPORT="tcp", AM_TCP_CRYPT="1",
                                 AM_LOG="error", **faults))
            self.assertEqual(rows(text)[0][:3], ["0-1", "0-1", "tcp (encrypted)"])

    def test_standard_output_that_cannot_be_written(self):
        done = run("sh", "-c", '"$0" --transports >/dev/full', AM_INFO)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "am-info: cannot write standard output\n"))


class Payloads(Case):
    """AM_MAX_MEDIUM: its cost, and that all ranks have the same."""

    def memory(self, ranks, **env):
        return self.json_of(alone("--memory", "-n", ranks, "--json", **env))["memory"]

    def test_the_memory_it_uses(self):
        usual = self.memory(4)
        self.assertEqual(usual["max_medium"], 16384)
        self.assertEqual(self.memory(4, AM_MAX_MEDIUM="8192"), {**usual, "max_medium": 8192})
        large = self.memory(4, AM_MAX_MEDIUM="65536")
        self.assertEqual(large["max_medium"], 65536)
        self.assertEqual(large["channel_at_first"], usual["channel_at_first"])
        more = large["channel_at_most"] - usual["channel_at_most"]
        self.assertEqual(more, (3 * 256 + 3 * 128) * 1024)  # of payloads and of answers
        self.assertEqual(large["job_at_most"] - usual["job_at_most"], 4 * 3 * more)
        text = self.good(alone("--memory", "-n", 4, AM_MAX_MEDIUM="65536"))
        self.assertIn("payloads of 65536 bytes", text)
        self.assertIn("P = the larger of 65536 and 4 * AM_MAX_MEDIUM", text)

    def test_ranks_that_differ_are_refused(self):
        for transport in ["self,shm"] + ["self,tcp"] * HAS_TCP:
            for other in (8192, 65536):
                with self.subTest(transport=transport, other=other):
                    done = each(3, f'[ $AM_JOB_RANK != 1 ] || export AM_MAX_MEDIUM={other}',
                                "--transports", AM_TRANSPORT=transport)
                    self.assertNotEqual(done.returncode, 0)
                    # The first rank to report it ends the job.
                    self.assertRegex(done.stdout + done.stderr,
                                     rf"rank 1 has AM_MAX_MEDIUM={other} and this one 16384: set it|"
                                     rf"rank [02] has AM_MAX_MEDIUM=16384 and this one {other}: set it")

    def test_all_pairs_where_it_is_large(self):
        self.pairs(job(3, "--transports", "--json", AM_MAX_MEDIUM="65536"), 3)


class Bootstrap(Case):
    def of(self, done, status=0):
        found = self.json_of(done, status)["bootstrap"]
        self.assertEqual(list(found["environment"]), LAUNCHER_VARIABLES)
        self.assertEqual(found["joined"], status == 0)
        outcomes = [row["outcome"] for row in found["tried"]]
        self.assertNotIn("joined", outcomes[:-1])
        self.assertEqual(outcomes[-1] == "joined", found["joined"])
        return found, [row["way"] for row in found["tried"]]

    def test_alone(self):
        text = self.good(alone("--bootstrap"))
        for name in LAUNCHER_VARIABLES:
            self.assertRegex(text, rf"(?m)^  {name} +is not set$")
        self.assertRegex(text, r"(?m)^  run +am-run has not started this process$")
        self.assertRegex(text, r"(?m)^  alone +joined, as rank 0 of 1$")
        self.assertIn("when a rank dies\n  there are no others\n", text)
        found, tried = self.of(alone("--bootstrap", "--json"))
        self.assertEqual(tried, ["run", "pmix", "alone"])
        self.assertEqual((found["rank"], found["ranks"]), (0, 1))
        self.assertNotIn("launcher", found)
        self.assertIsNone(found["environment"]["AM_JOB_FD"])

    def test_under_am_run(self):
        text = self.good(job(4, "--bootstrap"))
        self.assertEqual(text.count("when a rank dies"), 1)  # rank 0 prints it
        self.assertRegex(text, r"(?m)^  AM_JOB_FD +\d+$")
        self.assertRegex(text, r"(?m)^  run +joined, as rank 0 of 4$")
        for value, words in (("abort", "am-run names it and ends the others"),
                             ("callback", "am-run names it, and the others go on")):
            found, tried = self.of(job(2, "--bootstrap", "--json", AM_ON_PEER_DEATH=value))
            self.assertEqual((tried, found["launcher"], found["ranks"]), (["run"], "am-run", 2))
            self.assertTrue(found["on_death"].startswith(words), found)

    def test_a_variable_of_another_launcher_that_is_missing(self):
        rank, mpi = {"PMIX_RANK": "0"}, {"PMIX_RANK": "0", "OMPI_COMM_WORLD_SIZE": "4"}
        recovery = {"OMPI_MCA_orte_enable_recovery": "1", "AM_ON_PEER_DEATH": "callback"}
        for env, launcher, death in (
                (rank, "another launcher", "libam does not know what this launcher does"),
                (mpi, "mpirun", "mpirun ends the others; .*--enable-recovery.*"),
                ({**mpi, **recovery}, "mpirun", "the others go on, .*"),
                ({**rank, "SLURM_STEP_NUM_TASKS": "4"}, "srun", "srun ends the others, .*")):
            with self.subTest(env=env):
                done = alone("--bootstrap", "--json", **env)
                found, tried = self.of(done, 1)
                self.assertEqual(tried, ["run", "pmix"])
                self.assertEqual(found["environment"], {name: env.get(name) for name in LAUNCHER_VARIABLES})
                self.assertEqual(found["launcher"], launcher)
                self.assertRegex(found["on_death"], rf"\A{death}\Z")
                self.assertEqual(done.stderr, f"am-info: {found['tried'][-1]['outcome']}\n")

    def test_am_bootstrap(self):
        found, tried = self.of(alone("--bootstrap", "--json", AM_BOOTSTRAP="alone", PMIX_RANK="0"))
        self.assertEqual((tried, found["environment"]["AM_BOOTSTRAP"]), (["alone"], "alone"))
        found, tried = self.of(alone("--bootstrap", "--json", AM_BOOTSTRAP="run"), 1)
        self.assertEqual(tried, ["run"])
        self.assertRegex(found["tried"][0]["outcome"], "AM_BOOTSTRAP=run, but am-run has not")
        found, tried = self.of(alone("--bootstrap", "--json", AM_BOOTSTRAP="pmix"), 1)
        self.assertEqual(tried, ["pmix"])
        done = job(3, "--bootstrap", AM_BOOTSTRAP="alone")
        self.assertEqual(self.good(done).count("joined, as rank 0 of 1"), 3)  # three jobs of one

    def test_a_join_that_fails(self):
        for words in (["--bootstrap", "--json"], ["--bootstrap", "--transports", "--json"]):
            done = alone(*words, AM_JOB_FD="77")
            found, tried = self.of(done, 1)
            self.assertEqual(tried, ["run"])
            self.assertRegex(found["tried"][0]["outcome"], r"join: AM_JOB_FD=77 is not am-run's socket")
        done = alone("--transports", AM_JOB_FD="77")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Aam-info: join: AM_JOB_FD=77 .*\n\Z")


class SeveralOptions(Case):
    def test_all_together(self):
        whole = self.json_of(job(2, "-c", "--memory", "--transports", "--bootstrap", "--json"))
        self.assertEqual(list(whole), ["schema", "settings", "memory", "bootstrap", "transports"])
        text = self.good(job(2, "-c", "--transports", "--bootstrap"))
        self.assertTrue(text.index("AM_TRANSPORT ") < text.index("in the environment")
                        < text.index("\ntransport  ranks\n"))

    def test_an_invalid_setting(self):
        for words in (["--bootstrap"], ["--transports"]):
            done = alone(*words, AM_WAIT="soon")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"\Aam-info: AM_WAIT=soon: .*\n\Z")
        done = job(3, "--transports", AM_WIAT="spin")
        self.assertEqual(done.stderr, "am-info: AM_WIAT: there is no such setting; the nearest is AM_WAIT\n")


class Mpirun(Case):
    """The same under a launcher other than am-run."""

    def under(self, *words, **env):
        # A test machine may have no user but root.
        as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return run("mpirun.openmpi", "--oversubscribe", "-n", 3, *words, **as_root, **env)

    def test_all_pairs(self):
        for (origin, to), row in self.pairs(self.under(AM_INFO, "--transports", "--json"), 3).items():
            self.assertEqual(row["transport"], "self" if origin == to else "shm")

    def test_the_bootstrap(self):
        callback = {"AM_ON_PEER_DEATH": "callback"}
        for options, env, words in (
                ([], {}, "mpirun ends the others; "),
                (["--enable-recovery"], {}, "the first rank to see it ends the job; "),
                (["--enable-recovery"], callback, "the others go on, ")):
            with self.subTest(options=options, env=env):
                done = self.under(*options, AM_INFO, "--bootstrap", "--json", **env)
                found = self.json_of(done)["bootstrap"]
                self.assertEqual(found["tried"][-1], {"way": "pmix", "outcome": "joined"})
                self.assertEqual((found["launcher"], found["ranks"]), ("mpirun", 3))
                self.assertTrue(found["on_death"].startswith(words), found["on_death"])


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1] + sys.argv[3:], exit=False).result
    sys.exit(0 if result.wasSuccessful() and not result.skipped
             else 77 if result.wasSuccessful() else 1)
