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


def pairs(words):
    return dict(zip(words[::2], map(float, words[1::2])))


# The other bound is twice the dial: a machine with other work is late now and then, a latency that
# is added twice or anew at each poll always is.
for attempt in range(3):
    seen = pairs(run("L=+20ms", held))
    for name, value in seen.items():
        least(name, value, 19.9)
    if len(seen) != 21:
        faults.append(f"{held} knows other ways: {seen}")
    late = {name: value for name, value in seen.items() if value > 39}
    if not late:
        break
else:
    faults.append(f"more than once the latency: {late}")
# A dial, the figure that shows it, its least value in ns. A gap is shorter after a receiver
# that has come late.
for dials, size, figure, wanted in (
        ("L=+2ms", 8, "half_rtt", 1.99e6), ("o_s=+2ms", 8, "send", 1.99e6),
        ("o_r=+2ms", 8, "receive", 1.99e6), ("g_s=1ms", 8, "gap", 0.5e6),
        ("g_r=1ms", 8, "gap", 0.5e6), ("G=1us", 2000, "byte", 500)):
    least(dials, pairs(run(dials, figures, str(size), "10"))[figure], wanted)
# Bytes below the threshold are not dialled, which would be 1000 ns each.
below = min(pairs(run("G=1us,threshold=2000", figures, "2000", "10"))["byte"] for _ in range(3))
if below > 500:
    faults.append(f"bytes below the threshold: {below} ns each")
print("\n".join([*faults, f"{checked} checked, {len(faults)} faults"]))
sys.exit(1 if faults else 0)
