#!/usr/bin/env python3
"""The programs of the suite over an MPI: every variant on 2 ranks, which checks its own result.

Usage: twins.py openmpi|mpich FOLDER
"""

import json
import pathlib
import subprocess
import sys
import unittest

MPI, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
LAUNCHER = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to",
                        "none"],
            "mpich": ["mpirun.mpich"]}[MPI]
SIZES = {"em3d": 420, "mm": 84}
BULK = ("mm", "fft")  # have no literal variant


class Twins(unittest.TestCase):
    def test_every_program_is_right(self):
        for program in sorted(FOLDER.iterdir()):
            for variant in ("aggregated", "literal")[:1 if program.name in BULK else 2]:
                with self.subTest(program=program.name, variant=variant):
                    done = subprocess.run(
                        [*LAUNCHER, "-n", "2", program, "--json", "--variant", variant, "--size",
                         str(SIZES.get(program.name, 8400))],
                        capture_output=True, text=True, timeout=100)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    one = json.loads(done.stdout)
                    self.assertEqual((one["layer"], one["variant"], one["ranks"], one["right"]),
                                     (MPI, variant, 2, True))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
