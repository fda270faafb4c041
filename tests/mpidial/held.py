#!/usr/bin/env python3
"""No call sees a message before it is due, and every dial costs at least its value.

usage: held.py AM-DIAL MPIRUN HELD FIGURES
"""
import os
import subprocess
import sys

am_dial, mpirun, held, figures = sys.argv[1:]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}
faults, checked = [], 0


def run(dials, *program):
    out = subprocess.run([am_dial, dials, mpirun, "-n", "2", *program], capture_output=True,
                         text=True, timeout=100, env=ENVIRONMENT)
    if out.returncode != 0:
        sys.exit(f"{dials} {program}: status {out.returncode}: {out.stdout}{out.stderr}")
    return out.stdout.split()


def least(what, value, wanted):
    global checked
    checked += 1
    if float(value) < wanted:
        faults.append(f"{what}: {value}, at least {wanted} is dialled")


words = run("L=+20ms", held)
for name, seen in zip(words[::2], words[1::2]):
    least(name, seen, 19.9)
if len(words) != 40:
    faults.append(f"{held} knows other ways: {words}")
# A dial, the figure that shows it, its least value in ns. A gap is shorter after a receiver
# that has come late.
for dials, size, figure, wanted in (
        ("L=+2ms", 8, "half_rtt", 1.99e6), ("o_s=+2ms", 8, "send", 1.99e6),
        ("o_r=+2ms", 8, "receive", 1.99e6), ("g_s=1ms", 8, "gap", 0.5e6),
        ("g_r=1ms", 8, "gap", 0.5e6), ("G=1us", 2000, "byte", 500),
        ("G=1us,threshold=2000", 2000, "byte", 0)):
    words = run(dials, figures, str(size), "10")
    least(dials, dict(zip(words[::2], words[1::2]))[figure], wanted)
print("\n".join([*faults, f"{checked} checked, {len(faults)} faults"]))
sys.exit(1 if faults else 0)
