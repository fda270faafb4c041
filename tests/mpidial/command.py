#!/usr/bin/env python3
"""am-dial's command line, what it refuses, and what it leaves alone.

usage: command.py AM-DIAL FORTRAN MPI=MPIRUN:CORPUS... (of each MPI that is there)
"""
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from checklist import check, finish  # noqa: E402

am_dial, fortran = sys.argv[1:3]
mpis = dict(word.split("=") for word in sys.argv[3:])
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}
LIBRARIES = pathlib.Path(am_dial).resolve().parents[1] / "lib/am"


def run(*words, **variables):
    return subprocess.run([am_dial, *words], capture_output=True, text=True, timeout=60,
                          env={**ENVIRONMENT, **variables})


def refused(status, part, *words, **variables):
    out = run(*words, **variables)
    lines = out.stderr.splitlines()
    check(out.returncode == status and len(lines) == 1 and lines[0].startswith("am-dial: ")
          and part in lines[0], f"{words}: status {out.returncode}, {out.stderr!r}; not '{part}'")


refused(2, "no dials")
refused(2, "no command to run", "L=10us")
refused(2, "an overhead can only be added", "o=1us", "true")
refused(2, "+@x.so is for programs over libam", "L=+@x.so", "true")
refused(2, "DIALS is L=10: must be a list of o_s=T", "L=10", "mpirun", "prog")
refused(2, "a gap is the least", "g=+1us", "mpirun", "prog")
refused(2, "there is no option -n", "-n", "2", "prog")
refused(2, "openmpi", "--mpi", "lam", "0", "prog")
refused(2, "/bin/true is not a launcher", "0", "/bin/true")
refused(2, "no-such-command is not a launcher", "0", "no-such-command")
check(run("--help").stdout.startswith("Runs an MPI program"), "--help")
check(run("--version").stdout.startswith("am-dial "), "--version")

for mpi, pair in mpis.items():
    mpirun, corpus = pair.split(":")
    library = str(LIBRARIES / f"dial-mpi-{mpi}.so")
    refused(127, "no-such-command: No such file", "--mpi", mpi, "0", "no-such-command")
    refused(2, "LD_BIND_NOW is set", "--mpi", mpi, "0", "true", LD_BIND_NOW="1")
    with tempfile.NamedTemporaryFile() as plain:
        refused(126, f"{plain.name}: Permission denied", "--mpi", mpi, "0", plain.name)
    # Programs without MPI: the command itself, and what a launcher starts. Their status is am-dial's.
    out = run("--mpi", mpi, "L=+1us,o=+2us", "sh", "-c", "echo $LD_PRELOAD $LIBAM_MPI_DIAL; exit 7",
              LD_PRELOAD="libc.so.6")
    check((out.returncode, out.stdout) == (7, f"{library}:libc.so.6 L=+1us,o=+2us\n"),
          f"{mpi}: the environment of a command: {out}")
    out = run("0", mpirun, "-n", "2", "sh", "-c", "echo here")
    check((out.returncode, out.stdout) == (0, "here\nhere\n") and "am-dial" not in out.stderr
          and "ld.so" not in out.stderr,
          f"{mpi}: a program without MPI under {mpirun}: {out}")
    # A launcher by another name, which is found as a shell finds it.
    with tempfile.TemporaryDirectory() as folder:
        launcher = pathlib.Path(folder) / {"openmpi": "orterun", "mpich": "mpiexec.hydra"}[mpi]
        launcher.write_text('#!/bin/sh\necho "$LD_PRELOAD" "$@"\n')
        launcher.chmod(stat.S_IRWXU)
        (pathlib.Path(folder) / "mpirun").symlink_to(launcher)
        out = run("0", "mpirun", "-n", "1", "prog", PATH=f"{folder}:{os.environ['PATH']}")
        given = {"openmpi": "-x LD_PRELOAD -x LIBAM_MPI_DIAL ", "mpich": ""}[mpi]
        check(out.stdout == f"{library} {given}-n 1 prog\n", f"{mpi}: mpirun is a link: {out}")
        # A library that has not been built.
        other = pathlib.Path(folder) / "bin/am-dial"
        other.parent.mkdir()
        other.write_bytes(pathlib.Path(am_dial).read_bytes())
        other.chmod(stat.S_IRWXU)
        out = subprocess.run([other, "0", mpirun, "true"], capture_output=True, text=True,
                             timeout=60, env=ENVIRONMENT)
        check(out.returncode == 2 and f"libam was built without {mpi}" in out.stderr,
              f"{mpi}: without the library: {out}")
    # The library has the calls of MPI and no other, and needs neither libam nor an MPI.
    exported = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True,
                              text=True, check=True).stdout.split("\n")
    names = [line.split()[-1] for line in exported if line]
    check(len(names) > 80 and 
          all(name.startswith(("MPI_", "mpi_init_")) for name in names), f"{library}: {names}")
    needed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True,
                            check=True).stdout
    check("libmpi" not in needed and "libam" not in needed and "stdc++" not in needed, needed)

# What begins MPI in Fortran would not be dialled.
if "openmpi" in mpis:
    refused(2, "begins MPI in Fortran", "--mpi", "openmpi", "0", fortran)

# The library of another MPI is refused in one line a rank.
for mpi, pair in mpis.items():
    for other in mpis.keys() - {mpi}:
        mpirun, corpus = pair.split(":")
        out = run("--mpi", other, "0", mpirun, "-n", "1", corpus, "order", "/tmp")
        said = [line for line in out.stderr.splitlines() if line.startswith("am-dial: ")]
        check(out.returncode != 0 and len(said) == 1 and f"say --mpi {mpi}" in said[0],
              f"{mpi} with the library of {other}: {out}")
        check("ignal" not in out.stderr, f"{mpi} with the library of {other}: {out.stderr}")
finish()
