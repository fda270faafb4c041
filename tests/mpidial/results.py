#!/usr/bin/env python3
"""The programs of the corpus print the same with dials and without.

usage: results.py AM-DIAL MPIRUN CORPUS RANKS [PROGRAM...]
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

am_dial, mpirun, corpus, ranks, *programs = sys.argv[1:]
DIALS = ("0", "L=+30us,o=+1us,g=2us,G=1ns")
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def run(*command):
    """Status, and what the program has said; a job that hangs is ended as a whole."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=ENVIRONMENT, start_new_session=True) as job:
        try:
            return job.communicate(timeout=60)[0], job.returncode
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            return job.communicate()[0] + "hung", job.returncode


def results(*launcher, program):
    """The lines of each rank, or None and a fault."""
    with tempfile.TemporaryDirectory() as folder:
        out, status = run(*launcher, corpus, program, folder)
        if status == 0 and "times are wrong" not in out:  # each message has its stamp
            return {file.name: file.read_text() for file in pathlib.Path(folder).iterdir()}
    faults.append(f"{' '.join(launcher)} {program}: status {status}: {out}")
    return None


faults, compared = [], 0
for one in programs or run(corpus, "--list")[0].split():
    wanted = results(mpirun, "-n", ranks, program=one)
    for dials in DIALS if wanted else ():
        got = results(am_dial, dials, mpirun, "-n", ranks, program=one)
        compared += 1
        if got not in (None, wanted):
            faults.append(f"{one} with {dials}: {got} instead of {wanted}")
print("\n".join([*faults, f"{compared} compared, {len(faults)} faults"]))
sys.exit(1 if faults or compared == 0 else 0)
