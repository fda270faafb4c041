#!/usr/bin/env python3
"""Every setting with bad values: one line with the value and the range, from am-run before it
starts anything, from a program without launcher, from am-info; and an empty value counts as
unset."""

import json
import re
import unittest

from harness import Case, run


def number(low, high):
    """Below, above, beyond 64 bits, not a number, and a number with other text."""
    return [str(low - 1), str(high + 1), "99999999999999999999", "x", f"{low}x", f" {low}", f"{low} ",
            f"+{low}", f"{low}.5", "0x1", f"{low},{high}", f"{low}\n", "1" * 5000]


def words(*right):
    """None of the words, two of them, one of them with other text."""
    return ["x", right[0].upper(), right[0] + "x", " " + right[0], right[0] + " ", ",".join(right),
            right[0][:-1], right[0] + "\nx", "x" * 5000]


# The values that each setting refuses. None: it accepts every text.
BAD = {
    "AM_TRANSPORT": ["x", "shm,x", "shm,", "^x", "shm,,self", "^", "shm self", "SHM",
                     "^self,^shm,^ucx,^tcp", "shm\n", "x" * 5000],
    "AM_TCP_NET": ["10.0.0.0/33", "10.0.0/8", "256.1.1.1", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x",
                   "fd00::/129", "fd00:::/8", "fe80::1%lo", "eth0/8", "eth0,", ",eth0", "^", "^^eth0",
                   "eth 0", "eth0\n", "a" * 16, "127", "x" * 5000],
    "AM_TCP_CRYPT": ["x", "2", "-1", "00", " 1", "1 ", "0,1", "true", "1\n"],
    "AM_PEER_TIMEOUT": number(2, 3600),
    "AM_RSH": [" ", "   ", "\t", " \n"],
    "AM_PROGRESS": words("poll", "thread"),
    "AM_WAIT": words("spin", "yield", "block", "auto"),
    "AM_BOOTSTRAP": words("run", "pmix", "alone"),
    "AM_BIND": words("core", "none"),
    "AM_LOG": words("none", "error", "warn", "info", "debug"),
    "AM_STATS": None,
    "AM_FAULT": ["x", "x=1"],
    "AM_DIAL": ["x", "L=1", "G=+1ns", "L=+1", "L=+-1us", "L=+1us,", "fragment=0", "L=+11s"],
    "AM_TRACE": None,
    "AM_TRACE_LIMIT": number(1, 1048576),
    "AM_DILATE": ["0", "0.5", "1001", "x", "2x", "nan", "inf", " 2", "1,2"],
    "AM_PROFILE": None,
    "AM_STALL_WARN": number(0, 3600),
    "AM_CLOSE_TIMEOUT": number(0, 3600),
    "AM_ON_PEER_DEATH": words("abort", "callback"),
    "AM_CREDITS": number(1, 4096),
    "AM_MAX_MEDIUM": number(8192, 65536) + ["8200", "16385"],
    "AM_SHM_SLOTS": number(2, 4096) + ["3", "4095"],
    "AM_SHM_BULK": words("auto", "map", "cma", "fragments"),
    "AM_SHM_DIR": None,
    "AM_MODULE_PATH": None,
}
SHOWN = 100  # of a long value


def abbreviated(value):
    text = re.sub(r"[\x00-\x1f\x7f]", "?", value)
    return re.escape(text if len(text) <= SHOWN else text[:SHOWN] + "...")


def line_of(row, value):
    """The expected error text."""
    if not row["built"]:
        return rf"{row['name']}: this version of libam does not have this setting yet: unset it"
    if row["name"] == "AM_TRANSPORT":
        return rf"AM_TRANSPORT={abbreviated(value)}: .*self, shm, ucx and tcp.*"
    # The text for a setting that is a list of its own kind may contain more than its range.
    return rf"{row['name']}={abbreviated(value)}: (must be {re.escape(row['range'])}|.+)"


class Settings(Case):
    @classmethod
    def setUpClass(cls):
        listed = json.loads(run("am-info", "-c", "--json").stdout)["settings"]
        cls.rows = {row["name"]: row for row in listed}

    def test_every_setting_has_a_row_and_every_row_is_a_setting(self):
        self.assertEqual(set(BAD), set(self.rows))

    def test_am_info_refuses_every_bad_value(self):
        for name, values in BAD.items():
            for value in values or []:
                with self.subTest(name=name, value=value[:40]):
                    if name == "AM_TRANSPORT":
                        continue  # am-info does not know the names of transports
                    self.check_line(run("am-info", "--memory", env={name: value}), 2,
                                    "am-info: " + line_of(self.rows[name], value))

    def test_am_run_refuses_before_it_starts_anything(self):
        for name, values in BAD.items():
            for value in (values or [])[:4] if name != "AM_TRANSPORT" else values:
                with self.subTest(name=name, value=value[:40]):
                    done = run("am-run", "-n", 3, "echo", "started", env={name: value})
                    self.check_line(done, 2, "am-run: " + line_of(self.rows[name], value))
                    self.assertEqual(done.stdout, "")

    def test_a_program_alone_refuses_to_join(self):
        for name, values in BAD.items():
            for value in (values or [])[:1]:
                with self.subTest(name=name, value=value[:40]):
                    done = run("stress", "--seconds", 0, env={name: value})
                    self.check_line(done, 1, "stress: " + line_of(self.rows[name], value))

    def test_an_empty_value_counts_as_unset(self):
        for name in BAD:
            with self.subTest(name=name):
                done = run("stress", "--seconds", 0, env={name: ""})
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_other_settings_accept_every_text(self):
        done = run("am-run", "-n", 2, "hello", env={"AM_SHM_DIR": "/nowhere", "AM_MODULE_PATH": ":x"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_unwritable_counters_are_reported_at_the_join(self):
        for sample in ("hello", "stress"):
            self.check_line(run(sample, env={"AM_STATS": "/nowhere/x"}), 1,
                            f"{sample}: AM_STATS=/nowhere/x: No such file or directory.*")
            self.check_line(run(sample, env={"AM_TRACE": "/nowhere/x"}), 1,
                            f"{sample}: AM_TRACE=/nowhere/x: No such file or directory")

    def test_a_profile_that_cannot_be_read_is_a_warning(self):
        for value, reason in (("/nowhere/x", "No such file or directory"), ("/", "this is no file"),
                              ("/dev/null", "this is no file"), ("x" * 5000, "File name too long")):
            with self.subTest(value=value[:40]):
                self.check_line(run("hello", env={"AM_PROFILE": value}), 0,
                                rf"am\[0\]: warn: AM_PROFILE={abbreviated(value)} is not used: {reason}")

    def test_dilation_needs_the_programs_own_thread(self):
        self.check_line(run("stress", env={"AM_DILATE": "2", "AM_PROGRESS": "thread"}), 1,
                        "stress: AM_DILATE=2 .* AM_PROGRESS=thread .*; AM_PROGRESS=poll goes with it")

    def test_an_unknown_name_is_reported_once_with_the_nearest(self):
        for launcher in (["stress"], ["am-run", "-n", 4, "stress"]):
            done = run(*launcher, "--seconds", 0, env={"AM_WIAT": "spin"})
            self.check_line(done, 0, r"am: warn: AM_WIAT: there is no such setting; the nearest is AM_WAIT")
        self.check_line(run("am-info", "--memory", env={"AM_WIAT": "spin"}), 0,
                        "am-info: AM_WIAT: there is no such setting; the nearest is AM_WAIT")
        again = run("am-run", "-n", 2, "member", "again", 3, env={"AM_WIAT": "spin"})
        self.assertEqual(again.stderr.count("AM_WIAT"), 1)

    def test_an_unknown_name_like_no_other_is_reported_without_suggestion(self):
        self.check_line(run("stress", "--seconds", 0, env={"AM_SOMEBODY_ELSES": "1"}), 0,
                        "am: warn: AM_SOMEBODY_ELSES: there is no such setting; am-info -c lists all")

    def test_a_rank_of_several_without_a_boot(self):
        for name, value in (("PMIX_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "2"), ("PMI_SIZE", "2"),
                            ("SLURM_STEP_NUM_TASKS", "2")):
            with self.subTest(name=name):
                self.check_line(run("stress", "--seconds", 0, env={name: value}), 1,
                                rf"stress: cannot join the job: join: {name}={value} says that this "
                                r"process is one of several, .*am-run -n N PROGRAM.*")

    def test_corrupt_variables_of_am_run(self):
        no_number = "is not the number of a descriptor: unset it to run alone"
        for value, error in (("x", no_number), ("-1", no_number), ("7x", no_number),
                             ("99999999999", no_number), ("", no_number),
                             ("0", "is not am-run's socket"), ("77", "is not am-run's socket")):
            with self.subTest(value=value):
                self.check_line(run("stress", "--seconds", 0, env={"AM_JOB_FD": value}), 1,
                                rf"stress: cannot join the job: join: AM_JOB_FD={value} {error}.*")


if __name__ == "__main__":
    from harness import main
    main()
