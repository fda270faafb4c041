"""Environments of tests: without the AM_* that the tests are started with, and such that the profile
of the machine does not count."""

import os

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("AM_")}
WITHOUT_PROFILE = {**CLEAN, "AM_PROFILE": "off"}

# Root has only the profile of the machine. In a user namespace without a mapping a process is not
# root and may still read its own files.
AS_USER = ["unshare", "--user"] if os.geteuid() == 0 else []
OF_MACHINE = "/var/lib/am"


def without_the_machines_profile(empty):
    """What runs a command as a user for whom the machine has no profile; `empty` is a folder."""
    if not os.path.lexists(f"{OF_MACHINE}/profile.json"):
        return AS_USER
    hide = 'mount --bind "$0" "$1" && shift && exec unshare --user "$@"'
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", hide, empty, OF_MACHINE]
