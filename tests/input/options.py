#!/usr/bin/env python3
"""Every option of every command with bad values: one line with the given value and the possible
ones, and status 2."""

import re
import unittest

from harness import Case, run

HINT = r" \(see {} --help\)"
NUMBERS = ["0", "-1", "4097", "99999999999999999999", "x", "2x", "2.5", "", " "]

# For each option its arguments, and the error line without its hint. A list of values has one line
# for all, with {} for the value.
AM_RUN = {
    "-h": None, "--help": None, "--version": None, "--check": None, "--label": None,
    "-n": (NUMBERS, r"-n: .*'?{}'? ?.*1 (to|and) 4096.*"),
    "--bind": (["soft", "", "CORE", "core,none"], r"--bind: .*{}.*core.*none.*"),
    "--transport": (["x", "shm,x"], r"AM_TRANSPORT={}: .*self, shm, ucx and tcp.*"),
    "-x": (["=1", "NOT_SET_ANYWHERE"], r"-x {}: .*"),
    "--hosts": (["a:0", "a:x", "a:4097", "-a", "a b", ":2", "[::1", "a;b"],
                r"--hosts: '{}' is no host: a name, or a name and 1 to 4096 slots \(a:4\)"),
    "--hosts ": ([""], r"--hosts: it is empty"),
    "--map-by": (["core", ""], r"--map-by: .*{}.*slot.*node.*"),
    "--hostfile": (["/no/such/f"], r"--hostfile: cannot read {}: No such file or directory"),
    "--prefix": None,
}
AM_INFO = {
    "-h": None, "--help": None, "--version": None, "-c": None, "--settings": None, "--memory": None,
    "--json": None, "--transports": None, "--bootstrap": None, "--profile": None,
    "-n": (NUMBERS, r"-n: .*'?{}'? ?.*1 (to|and) 4096.*"),
}
STRESS = {
    "--help": None, "--version": None,
    "--pattern": (["x", "", "RING", "ring "], r"--pattern '{}': must be all-to-all, pairs or ring"),
    "--seconds": (["x", "", "-1", "1x", "nan", "inf", "1e300", "1000001"],
                  r"--seconds '{}': must be a number from 0 to 1000000"),
    "--seed": (["x", "", "-1", "1x", "1.5", "99999999999999999999"],
               r"--seed '{}': must be a whole number from 0 to 18446744073709551615"),
}
WHOLE = r"--(bytes|seed): Value {} is not a whole number from 0 to 18446744073709551615"
PEERS = {
    "-h": None, "--help": None, "--quick": None,
    "--transport": (["x", "shm,ucx:x", "shm tcp"], r"unknown transport '(x|ucx:x|shm tcp)'; there are shm tcp ucx:posix .*"),
    "--layers": (["x", "am-shm,x"], r"unknown layer 'x'; there are .*am-shm.*"),
    "--bytes": (["4095", "1", "67108865"], r"bulk data of {} bytes; there are 4096 and .* up to 67108864"),
    "--bytes ": (["-1", "x", "99999999999999999999"], WHOLE),
    "--json": (["/nowhere/x"], r"cannot write /nowhere/x"),
    "--rounds": (["0", "-1", "1001", "x", "2x"], r"--rounds: .*{}.*1 (to|and) 1000.*"),
    "--samples": (["0", "-1", "10001", "x"], r"--samples: .*{}.*1 (to|and) 10000.*"),
    "--seed": (["x", "-1", "99999999999999999999"], WHOLE),
}

RUN = {
    "-h": None, "--help": None, "--quick": None, "--full": None, "--profile": None, "--if-missing": None,
    "--transport": (["x", "shm,ucx:tcp", "shm tcp"], r"unknown transport '(x|ucx:tcp|shm tcp)'; there are self shm.*"),
    "--json": (["/nowhere/x"], r"cannot write /nowhere/x"),
    "--rounds": PEERS["--rounds"], "--samples": PEERS["--samples"], "--seed": (["x", "-1"], WHOLE),
}
AM_CALIBRATE = {"--version": None, **RUN}
SHOW = {"-h": None, "--help": None}
EXPORT = {**SHOW, "--format": (["xml", "CSV", "", "csv,csv"], r"--format: {} not in \{loggopsim,csv,netgauge\}")}
CALIBRATE = ((["am-calibrate"], AM_CALIBRATE), (["am-calibrate", "run"], RUN), (["am-calibrate", "peers"], PEERS),
             (["am-calibrate", "show"], SHOW), (["am-calibrate", "compare"], SHOW), (["am-calibrate", "export"], EXPORT))


def options_of(*command):
    """The options that its --help lists: words that begin with - at the start of a line, or after a
    comma."""
    found = set()
    for line in run(*command, "--help").stdout.splitlines():
        if match := re.match(r"\s+(-[-\w]+(?:,\s?-[-\w]+)*)", line):
            found |= set(re.split(r",\s?", match[1]))
        if match := re.match(r"Usage:(.*)", line):
            found |= set(re.findall(r"(?<![\w-])--?[a-z][-\w]*", match[1]))
    return found


class Options(Case):
    def try_all(self, command, table, behind, hint, status=2):
        name = command[0]
        for option, (values, line) in ((o, row) for o, row in table.items() if row):
            for value in values or [None]:
                with self.subTest(command=" ".join(command), option=option, value=value):
                    option = option.strip()  # an option with a trailing blank has several rows
                    words = [option] if value is None else [option, value]
                    done = run(*command, *words, *behind)
                    pattern = line.replace("{}", re.escape(value or ""))
                    self.check_line(done, 1 if "nowhere" in line else status,
                                    rf"{name}: {pattern}({hint})?")
                    self.assertEqual(done.stdout, "")

    def test_every_option_has_a_row(self):
        for command, table in ((["am-run"], AM_RUN), (["am-info"], AM_INFO), (["stress"], STRESS), *CALIBRATE):
            with self.subTest(command=command):
                self.assertEqual(options_of(*command) | {"-h", "--help", "--version"},
                                 set(map(str.strip, table)) | {"-h", "--help", "--version"})

    def test_am_run(self):
        self.try_all(["am-run"], AM_RUN, ["-n", "2", "true"], HINT.format("am-run"))

    def test_am_info(self):
        self.try_all(["am-info"], AM_INFO, [], HINT.format("am-info"))

    def test_stress(self):
        self.try_all(["stress"], STRESS, [], HINT.format("stress"))

    def test_am_calibrate(self):
        for command, table in CALIBRATE:
            self.try_all(command, table, [], "; am-calibrate --help tells more")

    def test_unknown_options_and_missing_values(self):
        for command in (["am-run", "-n", "2"], ["am-info"], ["stress"], ["am-calibrate", "peers"],
                        ["am-calibrate", "show"]):
            name = command[0]
            for word in ("--nothing", "--nothing=1", "-q", "--", "-"):
                with self.subTest(command=command, word=word):
                    if word == "--" and name != "stress" or word == "-" and name[:3] == "am-":
                        continue  # the end of the options, and a name that may be one
                    self.check_line(run(*command, word), 2, rf"{name}: .*{re.escape(word.split('=')[0])}.*")
        for command in (["am-run", "-n", "2", "--label=3", "true"], ["am-run", "-n", "2", "--check=no", "true"],
                        ["am-info", "--json=1"], ["am-calibrate", "peers", "--quick=no"]):
            with self.subTest(command=command):
                option = next(word for word in command if "=" in word).split("=")[0]
                self.check_line(run(*command), 2, rf"{command[0]}: ({option} takes no value|"
                                rf"{option[2:]} was given a disallowed flag override).*")
        for command in (["am-run", "-n"], ["am-run", "-n", "2", "--bind"], ["am-info", "-n"],
                        ["am-run", "-n", "2", "-x"], ["am-calibrate", "peers", "--rounds"]):
            with self.subTest(command=command):
                self.check_line(run(*command), 2, rf"{command[0]}: {command[-1]}.*")

    def test_am_run_without_required_arguments(self):
        for words, line in (([], r"no program to run: am-run -n N PROG ARGS"),
                            (["true"], r"no number of ranks: am-run -n N PROG ARGS"),
                            (["-n", "2"], r"no program to run: am-run -n N PROG ARGS"),
                            (["-n", "2", "--"], r"no program to run: am-run -n N PROG ARGS")):
            with self.subTest(words=words):
                self.check_line(run("am-run", *words), 2, f"am-run: {line}" + HINT.format("am-run"))

    def test_unreadable_arguments_of_am_info_and_am_calibrate(self):
        for value in ("0", "x", "4194305", "1.5", "99999999999999999999"):
            self.check_line(run("am-info", value), 2, rf"am-info: PID: Value {value} not in range 1 to 4194304"
                            + HINT.format("am-info"))
        self.check_line(run("am-info", 1), 1, "am-info: .*")  # not a rank
        self.check_line(run("am-info", "1", "2"), 2, "am-info: .*2.*")
        self.check_line(run("am-calibrate", "nothing"), 2, "am-calibrate: cannot read 'nothing'.*")

    def test_a_list_is_one_word(self):
        """Values are separated by commas; the next word is not a value."""
        for words, line in ((["--transport", "shm", "tcp"], "cannot read 'tcp'"),
                            (["run", "--transport", "shm", "tcp"], ".*not expected: tcp"),
                            (["peers", "--transport", "shm", "tcp"], ".*not expected: tcp"),
                            (["peers", "--layers", "limit-line", "am-shm"], ".*not expected: am-shm"),
                            (["peers", "--bytes", "4096", "16384"], ".*not expected: 16384")):
            with self.subTest(words=words):  # and a file that stops it before it would measure
                done = run("am-calibrate", *words, "--json", "/nowhere/x")
                self.check_line(done, 2, rf"am-calibrate: {line}; am-calibrate --help tells more")

    def test_an_invalid_profile(self):
        for words in (["show"], ["compare", "{}", "/nowhere/other"], ["export", "--format", "csv"]):
            for file, why in (("/nowhere/x", "No such file or directory"), ("/", "Is a directory"),
                              ("", "No such file or directory"), ("/dev/null", "no JSON at byte 1 of 0"),
                              ("/dev/zero", "more than 64 MiB, which no measurement writes")):
                words_now = [word.format(file) for word in words] + [file] * ("{}" not in words)
                with self.subTest(words=words_now):
                    self.check_line(run("am-calibrate", *words_now), 2,
                                    rf"am-calibrate: cannot read '{re.escape(file)}': {why}")
        for words, line in ((["compare"], "A is required"), (["compare", "a"], "B is required"),
                            (["export"], "--format is required"), (["show", "a", "b"], ".*not expected: b"),
                            (["compare", "a", "b", "c"], ".*not expected: c")):
            with self.subTest(words=words):
                self.check_line(run("am-calibrate", *words), 2, rf"am-calibrate: {line}; am-calibrate --help tells more")

    def test_a_layer_program(self):
        for words in (["--samples", "x"], ["--samples", "0"], ["--bytes", "1"], ["--skip"], ["--nothing"]):
            with self.subTest(words=words):
                self.check_line(run("layer", *words), 2,
                                rf".*cannot read '{' '.join(words)} ?': usage: .*--samples N.*")

    def test_standard_output_that_cannot_be_written(self):
        for command in (["am-info", "-c"], ["am-run", "-n", "2", "echo", "x"]):
            with self.subTest(command=command):
                done = run("sh", "-c", '"$0" "$@" >/dev/full', *command)
                self.check_line(done, 1, rf"{command[0]}: cannot write standard output.*")


if __name__ == "__main__":
    from harness import main
    main()
