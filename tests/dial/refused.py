#!/usr/bin/env python3
"""A job of which only some ranks have AM_DIAL ends with one line, as does a bad value; what
cannot be had is said.

usage: refused.py AM_RUN HELLO [STRESS]
Without STRESS, in a sanitized build, messages take too long to be looked at.
"""
import os
import subprocess
import sys

am_run, hello, *stress = filter(None, sys.argv[1:])


def run(command, **environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=50,
                          env={**os.environ, "AM_LOG": "error", **environment})


def expect(what, good, out):
    if not good:
        sys.exit(f"{what}: status {out.returncode}\n{out.stdout}{out.stderr}")


some = run([am_run, "-n", "2", "sh", "-c",
            f'[ "$AM_JOB_RANK" = 1 ] && export AM_DIAL=0; exec {hello}'])
expect("one rank of two", some.returncode != 0 and "hello" not in some.stdout, some)
# The rank that is first ends the job, perhaps before the other one reports it, too.
lines = ("AM_DIAL is set for rank 1 and not set for this one",
         "AM_DIAL is not set for rank 0 and set for this one")
expect("one rank of two", any(words in some.stderr for words in lines), some)

bad = run([am_run, "-n", "2", hello], AM_DIAL="G=+10us")
expect("a bad value", bad.returncode != 0 and "AM_DIAL=G=+10us: must be" in bad.stderr, bad)

good = run([am_run, "-n", "2", hello], AM_DIAL="L=+1us")
expect("all ranks", good.returncode == 0 and good.stdout.count("hello from rank") == 2, good)

missing = run([am_run, "-n", "2", hello], AM_DIAL="L=+1us,o_r=+@/nonexistent.so")
expect("a file that is missing", missing.returncode != 0 and
       "AM_DIAL: o_r=+@/nonexistent.so: /nonexistent.so: cannot open" in missing.stderr, missing)

small = run([am_run, "-n", "2", hello], AM_DIAL="L=+1ms", AM_CREDITS="4", AM_LOG="warn")
expect("a small window", small.returncode == 0 and small.stderr.count("\n") == 1 and
       "with L=1000000ns a flood of small messages needs AM_CREDITS=5000 (4096 at "
       "most) and has 4: its messages will be 500000 ns apart" in small.stderr,
       small)
large = run([am_run, "-n", "2", hello], AM_DIAL="L=+500us", AM_LOG="warn")
expect("a large window", large.returncode == 0 and large.stderr == "", large)

def check_less():
    # It takes lone messages to know that, which a busy machine may have few of.
    said = set()
    for _ in range(10):
        less = run([am_run, "-n", "2", *stress, "--pattern", "pairs", "--seconds", "1"],
                   AM_DIAL="o=1ns,L=1ns", AM_LOG="warn")
        lines = [line for line in less.stderr.splitlines() if "AM_DIAL" in line]
        expect("each rank says so once", less.returncode == 0 and len(lines) <= 6, less)
        said.update(dial for dial in ("o_s", "o_r", "L")
                    if any(f"AM_DIAL: {dial}=1ns cannot be had: " in line for line in lines))
        if len(said) == 3:
            return
    expect(f"less than there is: only {sorted(said)} said so", False, less)


def check_unused():
    words = "AM_DIAL: {}=1ns has changed nothing: none of "
    short = run([am_run, "-n", "2", *stress, "--pattern", "pairs", "--seconds", "1"],
                AM_DIAL="g=1ns,fragment=16777216", AM_LOG="warn")
    for dial in ("g_s", "g_r"):
        expect(f"a {dial} that is too short", short.returncode == 0 and
               short.stderr.count(words.format(dial)) == 2, short)
    long = run([am_run, "-n", "2", *stress, "--pattern", "pairs", "--seconds", "1"],
               AM_DIAL="g=20us", AM_LOG="warn")
    expect("a gap that is there", long.returncode == 0 and "changed" not in long.stderr, long)


if stress:
    check_less()
    check_unused()
print("a job that is dialled in part is refused")
