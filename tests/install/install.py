#!/usr/bin/env python3
"""Installs a build, moves the tree, and uses it as a user would: by find_package, by pkg-config,
with the samples and with the program that README.md shows; and uninstalls. Also builds libam where
the libraries of its modules are missing.

usage: install.py tree|uninstall|cmake|calib|pkgconfig|samples|readme|tutorial|alone BUILD-DIRECTORY
                  WORK-DIRECTORY
"""

import contextlib
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


@contextlib.contextmanager
def kept_manifest():
    """Keeps the manifest, so that an installation from this build can still be uninstalled."""
    manifest = BUILD / "install_manifest.txt"
    text = manifest.read_text() if manifest.exists() else None
    try:
        yield
    finally:
        if text is not None:
            manifest.write_text(text)
        else:
            manifest.unlink(missing_ok=True)


def library_folder():
    return next(TREE.rglob("libam.so")).parent


def tree():
    """The tree names nowhere where it was built or first installed, and its programs run."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    first = WORK / "first"
    with kept_manifest():
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
        output = run(program, "--version")
        if not re.match(rf"{program.name} \d+\.\d+\.\d+ \(git \w+\)\n", output):
            sys.exit(f"{program} --version says {output!r}")
        for page in (f"man/man1/{program.name}.1", f"bash-completion/completions/{program.name}"):
            if not (TREE / "share" / page).exists():
                sys.exit(f"share/{page} is not installed")
    print(f"{len(programs)} programs run")


def everything_under(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def uninstall():
    """Only files of others stay: in a folder of its own, and below a DESTDIR."""
    with kept_manifest():
        prefix = fresh("uninstall") / "prefix"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        installed = len(everything_under(prefix))
        theirs = {"include", "include/am", "include/am/theirs.h"}
        (prefix / "include/am/theirs.h").touch()
        run("cmake", "--build", BUILD, "--target", "uninstall")
        if everything_under(prefix) != theirs:
            sys.exit(f"uninstall has left {everything_under(prefix)}, not {theirs}")
        again = subprocess.run(["cmake", "--build", BUILD, "--target", "uninstall"],
                               capture_output=True, text=True)
        if again.returncode == 0 or "nothing to uninstall" not in again.stdout + again.stderr:
            sys.exit(f"a second uninstall says {again.stdout}{again.stderr}")

        dest = fresh("uninstall-dest")
        standard = dest / "usr/local/bin"  # every machine has it, used or not
        standard.mkdir(parents=True)
        run("cmake", "--install", BUILD, "--prefix", "/usr/local", DESTDIR=str(dest))
        run("cmake", "--build", BUILD, "--target", "uninstall", DESTDIR=str(dest))
        left = [path for path in dest.rglob("*") if path.is_file() or path.name == "am"]
        if left or not standard.exists():
            sys.exit(f"uninstall below DESTDIR has left {left}; {standard}: {standard.exists()}")
    print(f"{installed} files and folders installed and uninstalled")


def cmake():
    folder = fresh("cmake")
    for source in [*(ROOT / "tests/install/consumer").iterdir(), ROOT / "tests/c/ring.c"]:
        shutil.copy(source, folder)
    static = "ON" if (library_folder() / "libam.a").exists() else "OFF"
    run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={TREE}",
        f"-DSTATIC={static}")
    run("cmake", "--build", folder / "build")
    programs = [path for kind in ("c-*", "cpp-*", "plain-*") for path in (folder / "build").glob(kind)]
    for program in programs:
        run(program, timeout=30)
    print(f"{len(programs)} programs run, static: {static}")


def calib():
    """am-calibrate, too, is built from what is installed: its programs that link libam, and with
    --long all of it."""
    folder = fresh("calib")
    run("cmake", "-G", "Ninja", "-S", ROOT / "calib", "-B", folder, f"-DCMAKE_PREFIX_PATH={TREE}",
        "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0")
    if "LIBAM_TEST_LONG" in os.environ:
        run("cmake", "--build", folder, timeout=600)
        run(folder / "bin/am-calibrate", "--version")
    else:
        run("cmake", "--build", folder, "--target", "am_calib_am", "am_calib_barriers")


def flags(*more):
    return run("pkg-config", "--cflags", "--libs", *more, "am",
               PKG_CONFIG_PATH=str(library_folder() / "pkgconfig")).split()


def pkgconfig():
    """Links the shared library, and libam.a where it was built: that program needs no libam.so."""
    folder = fresh("pkgconfig")
    programs = ((["c++", "-std=c++20"], "tests/install/consumer/program.cpp"),
                (["c++", "-fno-exceptions", "-fno-rtti"], "tests/install/consumer/plain.cpp"),
                (["cc", "-std=c11"], "tests/c/ring.c"))
    for compiler, source in programs:
        run(*compiler, ROOT / source, "-o", "program", *flags(), cwd=folder)
        run(folder / "program", timeout=30, LD_LIBRARY_PATH=str(library_folder()))
        if (library_folder() / "libam.a").exists():
            static = [flag.replace("-lam", "-l:libam.a") for flag in flags("--static")]
            run(*compiler, ROOT / source, "-o", "program", *static, cwd=folder)
            run(folder / "program", timeout=30)


def samples():
    """The installed samples, and one program of the suite, built by their Makefile and by their
    CMakeLists.txt, run as jobs."""
    folder = fresh("samples")
    source = shutil.copytree(TREE / "share/doc/am/examples", folder / "source")
    expected = {"hello": r"(hello from rank \d of 4\n){4}",
                "gam": r"(gam: rank \d of 4: read \d+, got \d+, stored from \d\n){4}",
                "stress": r"stress: (\d+) requests, \1 handled, 0 lost\n",
                "lu": r"(?s)lu blocked: \d+ rows on 4 ranks in [\d.]+ s: right\n.*"}
    run("make", "-j2", "CXXFLAGS=", f"PKG_CONFIG_PATH={library_folder() / 'pkgconfig'}",
        *(f"build/{name}" for name in expected), cwd=source)
    run("cmake", "-G", "Ninja", "-S", source, "-B", folder / "cmake", f"-DCMAKE_PREFIX_PATH={TREE}")
    run("cmake", "--build", folder / "cmake", "--target", *expected)
    modules = {path.stem for path in (library_folder() / "am").glob("[!d]*.so")} - {"pmix"}
    for built in (source / "build", folder / "cmake"):
        for name, pattern in expected.items():
            arguments = ["--seconds", "1"] if name == "stress" else []
            for transport in ["shm", *modules]:
                output = run(TREE / "bin/am-run", "-n", "4", built / name, *arguments, timeout=60,
                           LD_LIBRARY_PATH=str(library_folder()), AM_TRANSPORT=transport)
                if not re.fullmatch(pattern, output):
                    sys.exit(f"{built / name} printed over {transport}:\n{output}")


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


def tutorial():
    """The tutorial's programs, built as its page says, print what it shows."""
    folder = fresh("tutorial")
    run("cmake", "-G", "Ninja", "-S", ROOT / "docs/tutorial", "-B", folder,
        f"-DCMAKE_PREFIX_PATH={TREE}")
    run("cmake", "--build", folder)
    run(sys.executable, "-B", ROOT / "tests/docs/tutorial.py", "output", TREE / "bin/am-run", folder)


def alone():
    """Without the libraries of its modules libam still builds, and reports what is missing."""
    folder = fresh("alone")
    known = fresh("alone-pkgconfig")  # what libam itself needs, and nothing else
    hwloc_folder = pathlib.Path(run("pkg-config", "--variable=pcfiledir", "hwloc").strip())
    shutil.copy(hwloc_folder / "hwloc.pc", known)
    output = run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Debug",
               "-DBUILD_TESTING=OFF", PKG_CONFIG_LIBDIR=str(known))
    for package in ("libsodium-dev", "libucx-dev", "libpmix-dev"):
        if f"{package} is missing: no " not in output:
            sys.exit(f"cmake does not say that {package} is missing:\n{output}")
    run("cmake", "--build", folder, timeout=900)
    if modules := [path.name for path in folder.rglob("[!d]*.so") if path.parent.name == "am"]:
        sys.exit(f"modules without their libraries: {modules}")
    hello = [folder / "bin/am-run", "-n", "2", folder / "bin/hello"]
    if sorted(run(*hello).splitlines()) != [f"hello from rank {rank} of 2" for rank in (0, 1)]:
        sys.exit("hello does not greet")
    for command, setting, line in (
            (hello, "AM_TRANSPORT=self,ucx", r"ucx is not used: there is no ucx\.so in .*/lib/am"),
            (hello[3:], "AM_BOOTSTRAP=pmix", "but no PMIx server has started it")):
        done = subprocess.run(["env", "AM_LOG=info", setting, *command], capture_output=True,
                              text=True, timeout=60)
        if not re.search(line, done.stderr):
            sys.exit(f"{setting}: status {done.returncode}\n{done.stdout}{done.stderr}")
    print("built and run with neither tcp, ucx nor pmix")


steps = {"alone": alone, "tree": tree, "uninstall": uninstall, "cmake": cmake, "calib": calib,
         "pkgconfig": pkgconfig, "samples": samples, "readme": readme, "tutorial": tutorial}
steps[step]()
