"""Runs am-run from outside: what it printed, what it returned, who is left."""

import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

AM_RUN = ""
MEMBER = ""
HELLO = ""


def main():
    """The programs come first on the command line, then what unittest takes."""
    global AM_RUN, MEMBER, HELLO
    AM_RUN, MEMBER, HELLO = sys.argv[1:4]
    for name in [name for name in os.environ if name.startswith("AM_")]:
        del os.environ[name]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], module="__main__")


def start(*args, **settings):
    settings.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.Popen([AM_RUN, *map(str, args)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **settings)


def run(*args, text="", env=None, **settings):
    """Finished: its output, errors and returncode."""
    env = None if env is None else {**os.environ, **env}
    return subprocess.run([AM_RUN, *map(str, args)], input=text, capture_output=True, text=True,
                          timeout=50, env=env, **settings)


def shell(ranks, script, *options, **settings):
    """Every rank runs this shell script; its rank is in $AM_JOB_RANK."""
    return run("-n", ranks, *options, "sh", "-c", script, **settings)


def alive(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def wait_until(condition, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def read_pids(stream, count):
    """The pids of `count` members that say they are in."""
    pids = []
    while len(pids) < count:
        line = stream.readline()
        if not line:
            break
        if line.startswith("in "):
            pids.append(int(line.split()[1]))
    return pids


def name_of(number):
    return signal.Signals(number).name
