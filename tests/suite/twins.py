#!/usr/bin/env python3
"""The programs of the suite over an MPI: every variant on 1 to 3 ranks, which checks its own result.

Usage: twins.py openmpi|mpich FOLDER
"""

import itertools
import json
import pathlib
import subprocess
import sys
import unittest

MPI, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
LAUNCHER = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to",
                        "none"],
            "mpich": ["mpirun.mpich"]}[MPI]
SIZES = {"em3d": 504, "barnes": 1680, "murphi": 60480, "mm": 168, "lu": 336}
LITERAL = ("connect", "em3d", "radix", "sample")  # have such a variant
PROGRAMS = sorted((*LITERAL, "barnes", "fft", "lu", "mm", "murphi", "nowsort", "pray"))


class Twins(unittest.TestCase):
    def test_every_program_is_right(self):
        self.assertEqual(sorted(program.name for program in FOLDER.iterdir()), PROGRAMS)
        for program, ranks in itertools.product(sorted(FOLDER.iterdir()), (1, 2, 3)):
            for variant in ("aggregated", "literal")[:2 if program.name in LITERAL else 1]:
                with self.subTest(program=program.name, variant=variant, ranks=ranks):
                    done = subprocess.run(
                        [*LAUNCHER, "-n", str(ranks), program, "--json", "--variant", variant, "--size",
                         str(SIZES.get(program.name, 8400))],
                        capture_output=True, text=True, timeout=100)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    one = json.loads(done.stdout)
                    self.assertEqual((one["layer"], one["variant"], one["ranks"], one["right"]),
                                     (MPI, variant, ranks, True))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
