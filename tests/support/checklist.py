"""Counts the checks of a test of texts and files, and collects the faults."""

import sys

faults, checked = [], 0


def check(good, line):
    global checked
    checked += 1
    if not good:
        faults.append(line)


def finish(enough=True):
    """Prints the faults and the number of checks, and exits. No check at all is a failure, too."""
    print("\n".join([*faults, f"{checked} checked, {len(faults)} faults"]))
    sys.exit(1 if faults or checked == 0 or not enough else 0)
