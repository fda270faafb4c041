#!/usr/bin/env python3
"""Installs a build, moves the tree, and uses it as somebody else would: by find_package, by
pkg-config, and with the program that README.md shows.

usage: install.py tree|cmake|calib|pkgconfig|readme BUILD-DIRECTORY WORK-DIRECTORY
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
step, BUILD, WORK = sys.argv[1], *(pathlib.Path(path).resolve() for path in sys.argv[2:4])
TREE = WORK / "moved"


def run(*command, cwd=WORK, timeout=300, **environment):
    """Runs a command that must succeed; its output."""
    out = subprocess.run(command, cwd=cwd, timeout=timeout, env={**os.environ, **environment},
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    if out.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {out.returncode}\n{out.stdout}")
    return out.stdout


def fresh(name):
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def library_folder():
    return next(TREE.rglob("libam.so")).parent


def tree():
    """The tree says nowhere where it was built or first stood, and its programs run."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    first = WORK / "first"
    run("cmake", "--install", BUILD, "--prefix", first)
    first.rename(TREE)
    for path in TREE.rglob("*"):
        if path.suffix in (".cmake", ".pc", ".h", ".hpp"):
            for place in (ROOT, BUILD, first):
                if str(place) in path.read_text():
                    sys.exit(f"{path} names {place}")
    programs = sorted((TREE / "bin").iterdir())
    if not programs:
        sys.exit("no program is installed")
    for program in programs:
        said = run(program, "--version")
        if not re.match(rf"{program.name} \d+\.\d+\.\d+ \(git \w+\)\n", said):
            sys.exit(f"{program} --version says {said!r}")
        for page in (f"man/man1/{program.name}.1", f"bash-completion/completions/{program.name}"):
            if not (TREE / "share" / page).exists():
                sys.exit(f"share/{page} is not installed")
    print(f"{len(programs)} programs run")


def cmake():
    folder = fresh("cmake")
    for source in [*(ROOT / "tests/install/consumer").iterdir(), ROOT / "tests/c/ring.c"]:
        shutil.copy(source, folder)
    static = "ON" if (library_folder() / "libam.a").exists() else "OFF"
    run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={TREE}",
        f"-DSTATIC={static}", f"-DAPPS={ROOT / 'apps'}")
    run("cmake", "--build", folder / "build")
    programs = [*(folder / "build").glob("c-*"), *(folder / "build").glob("cpp-*")]
    for program in programs:
        run(program, timeout=30)
    print(f"{len(programs)} programs run, static: {static}")


def calib():
    """am-calibrate, too, is built of what is installed."""
    folder = fresh("calib")
    run("cmake", "-G", "Ninja", "-S", ROOT / "calib", "-B", folder, f"-DCMAKE_PREFIX_PATH={TREE}",
        "-DCMAKE_BUILD_TYPE=Debug")
    run("cmake", "--build", folder, timeout=600)
    run(folder / "bin/am-calibrate", "--version")


def flags():
    return run("pkg-config", "--cflags", "--libs", "am",
               PKG_CONFIG_PATH=str(library_folder() / "pkgconfig")).split()


def pkgconfig():
    folder = fresh("pkgconfig")
    for compiler, source in ((["c++", "-std=c++20"], "tests/install/consumer/program.cpp"),
                             (["cc", "-std=c11"], "tests/c/ring.c")):
        run(*compiler, ROOT / source, "-o", "program", *flags(), cwd=folder)
        run(folder / "program", timeout=30, LD_LIBRARY_PATH=str(library_folder()))


def gam():
    """A program of 1995 compiles unchanged and runs."""
    folder = fresh("gam")
    run("gcc", "-std=gnu11", ROOT / "apps/gam/gam.c", "-o", "gam", *flags(), cwd=folder)
    out = run(TREE / "bin/am-run", "-n", "4", folder / "gam", timeout=30,
              LD_LIBRARY_PATH=str(library_folder()))
    if len(out.splitlines()) != 4:
        sys.exit(f"gam printed:\n{out}")


def readme():
    """The README's program, in an empty directory, many times in a row."""
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```cpp\n(.*?)^```", text, re.M | re.S)
    programs = [block for block in blocks if "int main(" in block]
    if not programs:
        sys.exit("README.md shows no program")
    folder = fresh("readme")
    times = 1000 if "LIBAM_TEST_LONG" in os.environ else 20
    for number, program in enumerate(programs):
        source = folder / f"program{number}.cpp"
        source.write_text(program)
        run("c++", "-std=c++20", "-O2", source, "-o", source.stem, *flags(), cwd=folder)
        for _ in range(times):
            run(TREE / "bin/am-run", "-n", "2", folder / source.stem, timeout=30,
                LD_LIBRARY_PATH=str(library_folder()))
    print(f"{len(programs)} programs run {times} times")


steps = {"tree": tree, "cmake": cmake, "calib": calib, "pkgconfig": pkgconfig, "readme": readme,
         "gam": gam}
steps[step]()
