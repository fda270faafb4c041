#!/usr/bin/env python3
"""Ranks in network namespaces that a third one connects: what they report over UCX's TCP when the
network between them fails, permanently or for a while.

usage: networks.py AM-RUN MEMBER HELLO FAR"""

import silence

# UCX finds the interfaces of a network namespace in sysfs, and hosts are told apart by their names.
OWN_HOST = ("unshare --uts --mount sh -c "
            "'mount -t sysfs sysfs /sys && hostname host$AM_JOB_RANK && exec \"$@\"' sh")


class Networks(silence.Silence, silence.Networked):
    SETTINGS = {"AM_TRANSPORT": "ucx", "UCX_TLS": "tcp,self"}
    WRAPPER = OWN_HOST
    LOST = "ucx: the route to rank"


if __name__ == "__main__":
    silence.main(["unshare", "--uts", "--mount", "mount", "-t", "sysfs", "sysfs", "/sys"])
