#!/usr/bin/env python3
"""Each dial changes its own parameter by what it says, and no other: six dials, seven parameters.

The dials are so large, a millisecond, that what a message takes by itself and what delays it on a
busy machine is small beside them. What must rise rises by nine tenths at least; what must stay
changes by less than a quarter.

Usage: independence.py AM-RUN LAYER-PROGRAM TRANSPORT...
"""

import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from clean_environment import CLEAN  # noqa: E402

RUN, PROGRAM, *TRANSPORTS = sys.argv[1:]
DIAL = 1e6  # ns; of G, for a fragment of 4096 bytes
BYTE = 3072 / 4096  # two sizes differ by so much of a fragment

# By how many times DIAL each figure rises; those that are not named stay. `gap` is the difference
# between the two sizes of mediums.
EXPECTED = {
    "L=+1ms": {"rtt": 2, "L": 1},
    "o_s=+1ms": {"rtt": 2, "o_s": 1, "g": 1},
    "o_r=+1ms": {"rtt": 2, "o_r": 1, "g": 1},
    "g_s=1ms": {"g": 1},
    "g_r=1ms": {"g": 1},
    f"G={DIAL / 4096}ns": {"gap": BYTE},
}
PARAMETERS = ("rtt", "o_s", "o_r", "L", "g", "gap")


def measure(transport, dial):
    environment = {**CLEAN, "AM_TRANSPORT": f"self,{transport}", "AM_DIAL": dial,
                   "AM_CREDITS": "64"}
    ended = subprocess.run([RUN, "-n", "2", "--bind", "core", PROGRAM, "--dialled", "--samples",
                            "1", "--sample-us", "2000", "--spacing-us", "3500"],
                           env=environment, capture_output=True, text=True, timeout=120)
    if ended.returncode != 0 or "\nfault " in ended.stdout:
        sys.exit(f"{transport} {dial}: status {ended.returncode}\n{ended.stdout}{ended.stderr}")
    found = {}
    for line in ended.stdout.splitlines():
        if line.startswith("values "):
            _, probe, _, *samples = line.split()
            found[probe] = statistics.median(map(float, samples))
    found["L"] = found["rtt"] / 2 - found["o_s"] - found["o_r"]
    found["gap"] = found["gap/4096"] - found["gap/1024"]
    return found


def is_right(dial, name, change):
    """Whether so many times DIAL are what this figure should rise by."""
    wanted = EXPECTED[dial].get(name, 0)
    if name == "gap" and ("g_" in dial or "o_" in dial):
        return True  # a gap or an overhead hides the bytes
    if name == "g" and "o_" in dial:
        return change >= 0.75  # the other rank's overhead is beside ours or not
    if wanted:
        return 0.9 * wanted <= change <= 1.5 * wanted
    return abs(change) < 0.25  # a latency fills the window: 2 ms by 64 credits of a flood


def wrong_figures(transport, dial, zero):
    seen = measure(transport, dial)
    changes = {name: (seen[name] - zero[name]) / DIAL for name in PARAMETERS}
    wrong = [name for name in PARAMETERS if not is_right(dial, name, changes[name])]
    print(f"{transport:4} {dial:18}", "  ".join(
        f"{name} {changes[name]:+.2f}{' !' if name in wrong else ''}" for name in PARAMETERS))
    return wrong


def is_added(transport, end):
    """Whether what lies between messages by themselves, some 50 ns, is behind the gap as well."""
    gap = measure(transport, f"{end}=+20us")["g"]
    print(f"{transport:4} {end}=+20us       g {gap:.0f} ns")
    return 20010 <= gap <= 26e3


def main():
    failed = 0
    for transport in TRANSPORTS:
        for dial in EXPECTED:
            # Other processes may delay every message of a launch, and no dial.
            failed += all(wrong_figures(transport, dial, measure(transport, "0"))
                          for _ in range(3))
        for end in ("g_s", "g_r"):
            failed += [is_added(transport, end) for _ in range(3)].count(True) < 2
    print(f"{(len(EXPECTED) + 2) * len(TRANSPORTS)} dials, {failed} wrong")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
