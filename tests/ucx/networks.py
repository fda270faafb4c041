#!/usr/bin/env python3
"""Ranks of two hosts in network namespaces that a third one connects: what they report over UCX's
TCP when the network between them fails, permanently or for a while.

usage: networks.py AM-RUN MEMBER HELLO FAR"""

import os
import pathlib
import tempfile

import harness
import silence

# AM_RSH: the host is a network namespace. UCX finds its interfaces in sysfs.
ENTER = """#!/bin/sh
case $1 in host0) namespace={} ;; host1) namespace={} ;; esac
shift
exec nsenter --net=/proc/$namespace/ns/net unshare --mount sh -c \\
  'mount -t sysfs sysfs /sys && exec sh -c "exec $*"' sh "$@"
"""


class Networks(silence.Silence, silence.Networked):
    SETTINGS = {"AM_TRANSPORT": "ucx", "UCX_TLS": "tcp,self"}
    LOST = "ucx: the route to rank"

    def start(self, program, **settings):
        """Each rank has an agent of its own, so that they are on two hosts."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        enter = pathlib.Path(folder.name) / "enter"
        enter.write_text(ENTER.format(*self.net.hosts))
        enter.chmod(0o755)
        settings = {**silence.DEFAULTS, **self.SETTINGS, "AM_RSH": str(enter), **settings}
        job = harness.start("--hosts", "host0,host1", *program.split(),
                            env={**os.environ, **settings})
        self.addCleanup(harness.finish, job)
        return job


if __name__ == "__main__":
    silence.main(["unshare", "--mount", "mount", "-t", "sysfs", "sysfs", "/sys"])
