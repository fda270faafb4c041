#!/usr/bin/env python3
"""am-trace merge keeps no more in memory than what is under way: a trace of four million events
takes a small part of its own size.

Usage: memory.py AM-TRACE TRACE-FLOOD
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

AM_TRACE, FLOOD = sys.argv[1:3]
EVENTS = 4_000_000
SIZE = 32 * EVENTS
MOST = SIZE // 3  # in memory; as much as this interpreter has had counts, too


def peak_of(*words):
    """The bytes that a command has had in memory at most."""
    with subprocess.Popen([str(word) for word in words], stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * 1024


class Memory(unittest.TestCase):
    def test_merge(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([FLOOD, folder, "4", str(EVENTS)], check=True)
            size = sum(file.stat().st_size for file in pathlib.Path(folder).iterdir())
            self.assertGreater(size, SIZE * 9 // 10)
            for suffix in ("csv", "json"):
                out = pathlib.Path(folder, f"all.{suffix}")
                out.symlink_to(os.devnull)
                status, peak = peak_of(AM_TRACE, "merge", folder, "-o", out)
                self.assertEqual(status, 0)
                self.assertLess(peak, MOST)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
