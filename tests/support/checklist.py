"""What a test of texts and files has looked at, and what was not as it should be."""

import sys

faults, checked = [], 0


def check(good, line):
    global checked
    checked += 1
    if not good:
        faults.append(line)


def finish(enough=True):
    """Prints the faults and how much was looked at; exits. Nothing to look at is a fault, too."""
    print("\n".join([*faults, f"{checked} checked, {len(faults)} faults"]))
    sys.exit(1 if faults or checked == 0 or not enough else 0)
