#!/usr/bin/env python3
"""A job of which only some ranks have AM_DIAL ends with one line, as does a bad value.

usage: refused.py AM_RUN HELLO
"""
import os
import subprocess
import sys

am_run, hello = sys.argv[1:]


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

bad = run([am_run, "-n", "2", hello], AM_DIAL="L=10us")
expect("a bad value", bad.returncode != 0 and "AM_DIAL=L=10us: must be" in bad.stderr, bad)

good = run([am_run, "-n", "2", hello], AM_DIAL="L=+1us")
expect("all ranks", good.returncode == 0 and good.stdout.count("hello from rank") == 2, good)
print("a job that is dialled in part is refused")
