#!/usr/bin/env python3
"""AM_PROFILE in jobs: all ranks choose alike; a profile that is broken, old, foreign or hostile
changes nothing, and where AM_PROFILE names it is one warning.

usage: jobs.py AM-RUN AM-INFO AGREED [test]
       jobs.py make FILE    writes a profile of this machine, by which every broadcast is flat,
                            and every barrier direct
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from clean_environment import CLEAN, without_the_machines_profile  # noqa: E402

SIZES = (64, 256, 1024, 4096, 16384)
RANKS = 5


def value(ns):
    return {"median": ns, "low": ns, "high": ns, "unit": "ns", "n": 6, "reached": True}


def fingerprint():
    models = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    kernel = os.uname()
    version = subprocess.run([AM_RUN, "--version"], capture_output=True, text=True, check=True,
                             timeout=100).stdout.split()[1] if AM_RUN else "0.1.0"
    return (f"{models[0] if models else 'unknown'}; {os.sysconf('SC_NPROCESSORS_ONLN')} cores; L1; "
            f"KVM; {kernel.sysname} {kernel.release.split('.')[0]}; libam {version}; UCX none")


def profile(send=1, arrive=1000, **changes):
    costs = {"logp": {"o_s": value(send), "o_r": value(send), "g": value(send), "rtt": value(2 * arrive)},
             "wake_up": value(27400),
             "by_size": [{"operation": "medium", "bytes": size, "o": value(send), "g": value(send),
                          "T": value(arrive)} for size in SIZES]}
    return {"schema": "am-profile/1", "fingerprint": fingerprint(), "conditions": {},
            "complete": True, "transports": {"shm": costs, "tcp": costs}, **changes}


class Profiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o755)

    def tearDown(self):
        self.folder.cleanup()

    def file(self, whole, name="p.json"):
        path = pathlib.Path(self.folder.name) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(whole if isinstance(whole, str) else json.dumps(whole), encoding="utf-8")
        return str(path)

    def job(self, *command, before=(), **env):
        return subprocess.run([*before, AM_RUN, "-n", str(RANKS), *command], capture_output=True,
                              text=True, timeout=100, stdin=subprocess.DEVNULL,
                              env={**CLEAN, **env})

    def check_agreed(self, done, flat):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"{flat} {flat} {flat} wrong 0"] * RANKS,
                         done.stderr)

    def test_all_ranks_choose_by_a_profile_that_fits(self):
        self.check_agreed(self.job(AGREED, AM_PROFILE=self.file(profile())), 7)

    def test_of_a_profile_of_any_length_its_beginning_is_enough(self):
        whole = profile()
        transports = whole.pop("transports")
        first = {"schema": whole["schema"], "fingerprint": whole["fingerprint"],
                 "runtime": {"complete": True, "transports": transports}}
        long_one = self.file(json.dumps({**first, **whole, "transports": {"x": 20 * 2**20 * " "}}))
        self.check_agreed(self.job(AGREED, AM_PROFILE=long_one), 7)

    def test_off_chooses_nothing(self):
        self.check_agreed(self.job(AGREED, AM_PROFILE="off"), 0)

    def test_a_profile_by_which_the_tree_is_best_changes_nothing(self):
        same = self.file(profile(send=1000, arrive=1000))
        self.check_agreed(self.job(AGREED, AM_PROFILE=same), 0)

    def test_rank_0_decides_whatever_the_others_are_told(self):
        script = 'test $AM_JOB_RANK = 0 || export AM_PROFILE=/nowhere; exec "$0"'
        good = self.file(profile())
        self.check_agreed(self.job("sh", "-c", script, AGREED, AM_PROFILE=good), 7)
        script = 'test $AM_JOB_RANK != 0 || export AM_PROFILE=off; exec "$0"'
        self.check_agreed(self.job("sh", "-c", script, AGREED, AM_PROFILE=good), 0)

    def polls(self, wake_up):
        whole = profile()
        whole["transports"]["shm"]["wake_up"] = value(wake_up)
        done = subprocess.run([AM_RUN, "-n", "2", AGREED, "polls"], capture_output=True, text=True,
                              timeout=100, check=True,
                              env={**CLEAN, "AM_PROFILE": self.file(whole)})
        return [int(line) for line in done.stdout.split()]

    def test_every_rank_spins_by_the_wake_up_of_the_profile(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("two ranks that have one CPU do not spin")
        self.assertLess(2 * max(self.polls(5000)), min(self.polls(200000)))

    def test_over_tcp_and_with_dials(self):
        good = self.file(profile())
        if (pathlib.Path(AM_RUN).parents[1] / "lib/am/tcp.so").exists():
            self.check_agreed(self.job(AGREED, AM_PROFILE=good, AM_TRANSPORT="tcp"), 0)
        dialled = self.job(AGREED, AM_PROFILE=good, AM_DIAL="L=+1us", AM_LOG="info")
        self.check_agreed(dialled, 0)
        self.assertIn(f"AM_PROFILE={good} is not used: AM_DIAL changes", dialled.stderr)

    def bad_ones(self):
        good = json.dumps(profile())
        fifo = os.path.join(self.folder.name, "fifo")
        os.mkfifo(fifo)
        large = self.file(" ", "large")
        os.truncate(large, (16 << 20) + 1)
        return {
            "cut": (self.file(good[:-40], "cut"), "this is no profile: "),
            "old": (self.file(profile(schema="am-profile/0"), "old"), 'expected "am-profile/1"'),
            "foreign": (self.file(profile(fingerprint="Another; 1 cores"), "foreign"),
                        'it is of "Another", and here is "'),
            "lines": (self.file(profile(fingerprint="a\nb\x1b[31m" + "x" * 5000), "lines"),
                      'it is of "a?b?[31mxx'),
            "deep": (self.file("[" * 1000000, "deep"), "this is no profile: "),
            "stopped": (self.file(profile(complete=False), "stopped"), "not measured to the end"),
            "without": (self.file(profile(transports={}), "without"),
                        "does not know what shm costs"),
            "fifo": (fifo, "this is no file"),
            "large": (large, "16777217 bytes, more than 16777216"),
            "empty": (self.file("", "empty"), "this is no profile: "),
        }

    def test_a_bad_profile_that_is_named_changes_nothing_and_is_one_warning(self):
        bad = {**self.bad_ones(), "none": ("/nowhere/x", "No such file"),
               "device": ("/dev/null", "this is no file"), "folder": ("/", "this is no file")}
        for name, (path, reason) in bad.items():
            with self.subTest(name):
                done = self.job(AGREED, AM_PROFILE=path)
                self.check_agreed(done, 0)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn("am[0]: warn", done.stderr)
                self.assertIn("AM_PROFILE=" + path[:100], done.stderr)
                self.assertIn(" is not used: ", done.stderr)
                self.assertIn(reason, done.stderr)

    def test_a_bad_profile_that_is_kept_changes_nothing(self):
        nothing = os.path.join(self.folder.name, "nothing")
        os.mkdir(nothing, 0o755)
        as_user = without_the_machines_profile(nothing)
        if as_user and subprocess.run([*as_user, "true"], check=False,
                                      stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("this system has no user namespaces")
        os.mkdir(os.path.join(self.folder.name, "am"), 0o755)
        kept = os.path.join(self.folder.name, "am/profile.json")
        auto = {"before": as_user, "XDG_STATE_HOME": self.folder.name}  # the default
        for name, (path, reason) in {**self.bad_ones(), "loop": (kept, "")}.items():
            with self.subTest(name):
                if os.path.lexists(kept):
                    os.unlink(kept)
                os.symlink(path, kept)
                done = self.job(AGREED, **auto)
                self.check_agreed(done, 0)
                self.assertEqual(done.stderr, "")
                told = self.job(AGREED, AM_LOG="info", **auto).stderr
                said = [line for line in told.splitlines() if "no measured profile" in line]
                self.assertEqual(len(said), 1, told)
                self.assertIn(f"am[0]: info: no measured profile is used: {kept}: ", said[0])
                is_long = os.path.isfile(path) and 65536 < os.path.getsize(path) <= 16 << 20
                self.assertIn("measure again" if is_long else reason, said[0])
        os.unlink(kept)
        self.file(profile(), "am/profile.json")
        self.check_agreed(self.job(AGREED, **auto), 7)
        self.check_agreed(self.job(AGREED, **auto, AM_PROFILE="auto"), 7)

    def test_am_info_shows_what_is_chosen_and_why(self):
        good = self.file(profile(send=20, arrive=100))
        env = {**CLEAN, "AM_PROFILE": good}
        text = subprocess.run([AM_INFO, "--profile"], capture_output=True, text=True, env=env,
                              timeout=100, check=True).stdout
        self.assertIn(f"profile  {good}\nsetting  AM_PROFILE={good}\n", text)
        self.assertRegex(text, r"\n +16  flat up to 6 ranks +a tree +20 +100 +140 +200\n")
        shown = json.loads(subprocess.run([AM_INFO, "--profile", "--json"], capture_output=True,
                                          text=True, env=env, timeout=100,
                                          check=True).stdout)["profile"]
        self.assertEqual((shown["file"], shown["setting"]), (good, good))
        self.assertEqual([(t["transport"], t["fits"]) for t in shown["transports"]],
                         [("shm", True)])
        self.assertEqual(shown["transports"][0]["broadcast"][0],
                         {"bytes": 16, "flat_ranks": 6, "default_flat_ranks": 0, "send_ns": 20.0,
                          "arrive_ns": 100.0})
        self.assertEqual(shown["transports"][0]["barrier"],
                         {"direct_ranks": 7, "default_direct_ranks": 0, "message_ns": 20.0,
                          "arrive_ns": 100.0})
        self.assertEqual(shown["transports"][0]["spin"],
                         {"us": 27, "default_us": 50, "wake_up_ns": 27400.0})
        self.assertIn("\nbarrier: direct up to 7 ranks, by default in rounds; a message takes 20 ns "
                      "and arrives after 100: 3 ranks need 120 ns, and 200 in rounds\n", text)
        self.assertIn("\na rank with a CPU of its own spins for 27 us before it sleeps, by default 50; to wake "
                      "a rank takes 27.4 us\n", text)

    def test_am_info_shows_what_no_profile_changes_and_why(self):
        for chosen in (self.file(profile()), "off"):
            env = {**CLEAN, "AM_PROFILE": chosen}
            text = subprocess.run([AM_INFO, "--profile"], capture_output=True, text=True, env=env,
                                  timeout=100, check=True).stdout
            fixed = json.loads(subprocess.run([AM_INFO, "--profile", "--json"], capture_output=True,
                                              text=True, env=env, timeout=100,
                                              check=True).stdout)["profile"]["fixed"]
            self.assertEqual([one["what"] for one in fixed],
                             ["larger teams", "reductions and scans", "bulk copies",
                              "medium or store", "frames of tcp", "longest spin", "transport"])
            self.assertEqual(fixed[4], {
                "what": "frames of tcp", "how": "64 KiB",
                "why": "larger ones take more memory, and slow the largest mediums both ways"})
            for one in fixed:
                self.assertRegex(text, "\n  {} +{} +{}\n".format(
                    *(re.escape(one[key]) for key in ("what", "how", "why"))))

    def test_am_info_shows_the_default_where_a_figure_is_not_known(self):
        whole = profile()
        for name in ("o_r", "wake_up"):
            whole["transports"]["shm"]["logp"].pop(name, None)
            whole["transports"]["shm"].pop(name, None)
        done = subprocess.run([AM_INFO, "--profile"], capture_output=True, text=True, timeout=100,
                              env={**CLEAN, "AM_PROFILE": self.file(whole)}, check=True)
        self.assertIn("\nbarrier: in rounds, by default in rounds; it is not known", done.stdout)
        self.assertIn(" for 50 us before it sleeps, by default 50; it was not measured", done.stdout)

    def test_am_info_says_why_the_settings_leave_a_profile_that_fits_unused(self):
        good = self.file(profile())
        for setting, why in (({"AM_DIAL": "L=+1us"}, "AM_DIAL changes what messages cost"),
                             ({"AM_TRANSPORT": "^shm"},
                              "ranks of this host are not connected by shm")):
            done = subprocess.run([AM_INFO, "--profile", "--json"], capture_output=True, text=True,
                                  env={**CLEAN, "AM_PROFILE": good, **setting}, timeout=100,
                                  check=True)
            shown = json.loads(done.stdout)["profile"]
            self.assertEqual(shown["file"], good)
            one = shown["transports"][0]
            self.assertEqual((one["fits"], one["why_not"], one["broadcast"]), (False, why, []))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        AM_RUN = ""
        pathlib.Path(sys.argv[2]).write_text(json.dumps(profile()), encoding="utf-8")
        sys.exit()
    AM_RUN, AM_INFO, AGREED = sys.argv[1:4]
    result = unittest.main(argv=sys.argv[:1] + sys.argv[4:], exit=False).result
    sys.exit(0 if result.wasSuccessful() else 1)
