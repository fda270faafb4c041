#!/usr/bin/env python3
"""A profile of a real measurement, as short as can be, as other programs read it.

usage: profile_file.py schema|csv|commands AM-CALIBRATE

schema    it holds to docs/am-profile.schema.json, which is a schema, and broken ones do not
csv       Python's csv module reads the export, which has every value of the file
commands  show, compare and export: what they say, where, and with which status; show on a terminal

Exit 77: python3-jsonschema is not installed.
"""

import contextlib
import copy
import csv
import fcntl
import io
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from checklist import check, finish  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
step, PROGRAM = sys.argv[1:3]


def calibrate(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=100,
                          stdin=subprocess.DEVNULL)


def measured(folder, rounds=1):
    """The file of a measurement; 3: the machine was busy, which does not matter here."""
    file = pathlib.Path(folder) / f"{rounds}.json"
    done = calibrate("--transport", "self", "--rounds", rounds, "--samples", 3, "--profile", "none",
                     "--json", file)
    if done.returncode not in (0, 3):
        sys.exit(f"am-calibrate ended with {done.returncode}: {done.stderr}")
    return file, done.stdout


def changed(whole, path, value):
    """A copy with another value at a path; without it, if that is ..."""
    other = copy.deepcopy(whole)
    *way, last = path
    at = other
    for key in way:
        at = at[key]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return other


def schema():
    try:
        import jsonschema
    except ImportError:
        print("python3-jsonschema is not installed")
        sys.exit(1 if "LIBAM_TEST_CI" in os.environ else 77)
    described = json.loads((ROOT / "docs/am-profile.schema.json").read_text())
    judge = jsonschema.validators.validator_for(described)
    check(judge is jsonschema.Draft202012Validator, f"it is judged by {judge}")
    judge.check_schema(described)
    judge = judge(described)
    with tempfile.TemporaryDirectory() as folder:
        whole = json.loads(measured(folder)[0].read_text())
    for error in judge.iter_errors(whole):
        check(False, f"{error.json_path}: {error.message}")
    layer, logp = ("transports", "self"), ("transports", "self", "logp")
    # What is known however busy the machine is.
    value = {**whole["transports"]["self"]["logp"]["rtt"], "remark": "as it is"}
    unknown = {**value, "median": None, "low": None, "high": None, "reached": False}
    del unknown["remark"]
    interval = {**value, "low": value["median"], "high": value["median"]}
    for good in (changed(whole, ("layers",), {"openmpi over shm": whole["transports"]["self"]}),
                 changed(whole, (*logp, "rtt"), {**unknown, "remark": "not reached"}),
                 changed(whole, (*logp, "rtt"), interval),
                 changed(whole, (*layer, "validation"), {"pairs": "needs 4 cores, has 2"}),
                 changed(whole, ("conditions", "later"), 1)):
        check(judge.is_valid(good), "what is good is refused")
    for path, broken in [
            (("schema",), "am-profile/2"), (("fingerprint",), ...), (("complete",), "yes"),
            (("machine", "cores"), "two"), (("machine", "cpu"), ...), (("later",), 1),
            (("conditions",), []), (("conditions", "unfit"), "no"), ((*layer, "later"), 1),
            ((*layer, "signature"), ...), ((*logp, "L"), ...), ((*logp, "l"), value),
            ((*logp, "rtt", "unit"), "us"), ((*logp, "rtt", "unit"), "GB/s"),
            ((*logp, "rtt", "n"), -1), ((*logp, "rtt", "reached"), None),
            ((*logp, "rtt"), unknown), ((*logp, "rtt", "low"), 1),
            ((*logp, "rtt"), {**interval, "low": None}),
            ((*logp, "rtt"), {**unknown, "remark": ""}),
            ((*layer, "loggp", "G", "unit"), "ns"), ((*layer, "loggp", "segments"), ...),
            ((*layer, "by_size", 0, "bytes"), 1.5), ((*layer, "by_size", 0, "g", "median"), None),
            ((*layer, "signature", 0, "ns"), "1"),
            (("layers",), {"mpich": {}})]:
        check(not judge.is_valid(changed(whole, path, broken)), f"{path} may be {broken}")


def table():
    with tempfile.TemporaryDirectory() as folder:
        file, _ = measured(folder)
        whole = json.loads(file.read_text())
        done = calibrate("export", "--format", "csv", file)
    check(done.returncode == 0 and done.stderr == "", f"csv: {done.returncode} {done.stderr}")
    found = {(row["group"], row["name"], row["parameter"], row["operation"], row["bytes"]): row
             for row in csv.DictReader(io.StringIO(done.stdout), strict=True)}
    wanted = {}
    for name, layer in whole["transports"].items():
        at = ("transports", name)
        for parameter, value in layer["logp"].items():
            wanted[(*at, parameter, "", "")] = value
        for operation, costs in (("store", layer["loggp"]),
                                 *whole["conditions"]["costs"][name].items()):
            for parameter in ("G", "g0"):
                wanted[(*at, parameter, operation, "")] = costs[parameter]
        for piece in layer["by_size"]:
            for parameter in {"o", "g", "T", "bandwidth", "g_uncached"} & piece.keys():
                wanted[(*at, parameter, piece["operation"], str(piece["bytes"]))] = piece[parameter]
    check(found.keys() == wanted.keys(), f"other rows: {found.keys() ^ wanted.keys()}")
    for key in found.keys() & wanted.keys():
        row, value = found[key], wanted[key]
        for column in ("median", "low", "high"):
            there = None if row[column] == "" else float(row[column])
            check(there == value[column], f"{key} {column}: {row[column]}, not {value[column]}")
        check(row["unit"] == value["unit"] and int(row["n"]) == value["n"], f"{key}: {row}")
        check(row["reached"] == str(value["reached"]).lower(), f"{key}: {row['reached']}")
        check(row["schema"] == whole["schema"], f"{key}: {row['schema']}")


def alike(one, other):
    """The same words, and figures but for the last of their three digits: the file is rounded."""
    def near(a, b):
        try:
            return abs(float(a) - float(b)) <= 0.011 * abs(float(a))
        except ValueError:
            return a == b
    one, other = one.split(), other.split()
    return len(one) == len(other) and all(map(near, one, other))


def expect(what, done, status, out="", err=""):
    check(done.returncode == status,
          f"{what}: status {done.returncode}, not {status}: {done.stderr}")
    check(out in done.stdout and (out or not done.stdout) or alike(out, done.stdout),
          f"{what}: it prints {done.stdout}")
    check(err in done.stderr and (err or not done.stderr), f"{what}: it says {done.stderr}")


def on_terminal(*words, **environment):
    """What the command prints to a terminal of 40 columns, in lines that end as in a file."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24, 40, 0, 0))
    with subprocess.Popen([PROGRAM, *map(str, words)], stdin=subprocess.DEVNULL, stdout=slave,
                          env={**os.environ, "TERM": "xterm", **environment}) as started:
        os.close(slave)
        text = b""
        with contextlib.suppress(OSError):  # EIO: it has ended
            while piece := os.read(master, 65536):
                text += piece
    os.close(master)
    check(started.returncode == 0, f"on a terminal it ends with {started.returncode}")
    return text.decode().replace("\r\n", "\n")


def terminal(file, plain):
    """Colours where the terminal may have them, and else nothing but what a file gets."""
    coloured = on_terminal("show", file, NO_COLOR="")
    check("\x1b[" in coloured, f"without colours: {coloured}")
    check(re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain, f"other text: {coloured}")
    check(on_terminal("show", file, NO_COLOR="1") == plain, "NO_COLOR=1 changes the text")
    check("\x1b" not in plain, f"colours in a file: {plain}")


def commands():
    with tempfile.TemporaryDirectory() as folder:
        file, printed = measured(folder, 6)
        expect("show", calibrate("show", file), 0, printed)
        terminal(file, calibrate("show", file).stdout)
        few, _ = measured(folder, 1)
        whole = json.loads(file.read_text())
        whole["conditions"]["unfit"] = []  # other processes may have used the machine
        logp = whole["transports"]["self"]["logp"]
        if logp["g"]["median"] is None:  # nor could the window be filled then
            logp["g"] = copy.deepcopy(logp["rtt"])
        file.write_text(json.dumps(whole))
        shown = calibrate("show", file).stdout

        def other(**values):
            path = pathlib.Path(folder) / "other.json"
            path.write_text(json.dumps({**whole, **values}))
            return path

        slow = copy.deepcopy(whole["transports"])
        rtt = slow["self"]["logp"]["rtt"]
        # Ten times the highest, because a launch may have been disturbed.
        rtt["low"] = rtt["high"] = rtt["median"] = 10 * rtt["high"]
        unfit = {**whole["conditions"], "unfit": ["a neighbour", "steal"]}
        expect("same", calibrate("compare", file, file), 0, " same, 0 better, 0 worse, ")
        expect("worse", calibrate("compare", file, other(transports=slow)), 1, "! worse: self rtt")
        expect("better", calibrate("compare", other(transports=slow), file), 0, "1 better, 0 worse")
        expect("another machine", calibrate("compare", file, other(fingerprint="x")), 0,
               " 0 worse, ", "A and B are of different machines or libams: ")
        expect("shown of another", calibrate("show", other(fingerprint="x")), 0, shown,
               "this profile is of another machine or libam: x; here: ")
        expect("unfit", calibrate("compare", file, other(conditions=unfit)), 0, " 0 worse, ",
               "other.json, is unfit: a neighbour (and 1 more)")
        expect("stopped", calibrate("compare", other(complete=False), file), 0, " 0 worse, ",
               "other.json, is incomplete: the measurement ended early")
        expect("too few", calibrate("compare", few, few), 2, "9 not judged",
               "nothing can be compared")
        expect("nothing in common", calibrate("compare", file, other(transports={})), 2,
               "! self is only in A", "nothing can be compared")
        expect("loggopsim", calibrate("export", "--format", "loggopsim", file), 0, "LogGOPSim -f ")
        expect("netgauge", calibrate("export", "--format", "netgauge", file), 0,
               "\n# self: store\n# size n ")
        huge = pathlib.Path(folder) / "huge.json"
        with open(huge, "wb") as hole:
            hole.truncate(65 << 20)
        expect("huge", calibrate("show", huge), 2, "", "more than 64 MiB, which no measurement writes")
        full = subprocess.run(["sh", "-c", '"$0" show "$1" >/dev/full', PROGRAM, file],
                              capture_output=True, text=True, timeout=100)
        expect("a full disk", full, 1, "", "cannot write standard output")


{"schema": schema, "csv": table, "commands": commands}[step]()
finish()
