#!/usr/bin/env python3
"""Breaks libam on purpose, one line at a time, and expects a named test to see it.

faults*.txt list the faults. `mutate.py --check` only makes sure that every line to be broken still
stands exactly once in its file (part of every test run). `mutate.py` copies the sources, builds, sees
that the named tests pass, and then, fault by fault: breaks the line, builds what the test needs, runs
the test and expects it to fail. A test that hangs has seen the fault too.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEYS = ("file", "line", "instead", "test")


class Fault:
    def __init__(self, name, parts, where):
        missing = [key for key in KEYS if key not in parts]
        if missing:
            sys.exit(f"{where}: fault '{name}' lacks {', '.join(missing)}")
        self.name = name
        self.file, self.line, self.instead, self.test = (parts[key] for key in KEYS)

    def trouble(self, root):
        """Why the line cannot be broken, or None."""
        path = root / self.file
        if not path.is_file():
            return f"there is no {self.file}"
        found = path.read_text().count(self.line)
        return None if found == 1 else f"its line stands {found} times in {self.file}, not once"

    def apply(self, root):
        path = root / self.file
        original = path.read_text()
        path.write_text(original.replace(self.line, self.instead))
        return path, original


def read_faults(path):
    faults, name, parts = [], None, {}

    def finish():
        if name is not None:
            faults.append(Fault(name, parts, path))

    for text in path.read_text().splitlines() + ["[end]"]:
        if text.startswith("[") and text.endswith("]"):
            finish()
            name, parts = text[1:-1], {}
        elif text.strip() and not text.startswith("#"):
            key, _, value = text.partition(": ")
            parts[key.rstrip(":")] = value
    return faults


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


class Copy:
    """A copy of the sources with a build of its own."""

    def __init__(self, folder, jobs):
        self.source = folder / "source"
        self.build = folder / "build"
        self.jobs = str(jobs)
        shutil.copytree(ROOT, self.source, ignore=shutil.ignore_patterns("build", ".git"))
        done = run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja",
                    "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1"])
        if done.returncode != 0:
            sys.exit(f"cannot configure:\n{done.stdout}")
        self.programs = self.programs_of_tests()

    def programs_of_tests(self):
        """Which programs of the build each test runs (ctest tells only of those that are built)."""
        programs = {}
        for listed in self.build.rglob("CTestTestfile.cmake"):
            for name, command in re.findall(r'^add_test\((?:\[=\[)?([^\s\]"]+)(?:\]=\])? (.*)\)$',
                                            listed.read_text(), re.MULTILINE):
                inside = re.findall(rf'["=;]{re.escape(str(self.build))}/([^";]+)', command)
                programs[name] = [pathlib.Path(path).name for path in inside]
        return programs

    def build_for(self, tests):
        targets = sorted({program for test in tests for program in self.programs[test]})
        return run(["ninja", "-C", self.build, "-j", self.jobs, *targets])

    def passes(self, test):
        return run(["ctest", "--test-dir", self.build, "-R", f"^{test}$", "--timeout", "100",
                    "--no-tests=error"]).returncode == 0


def check(faults):
    troubles = [f"{fault.name}: {trouble}" for fault in faults
                if (trouble := fault.trouble(ROOT)) is not None]
    names = [fault.name for fault in faults]
    troubles += [f"{name}: two faults have this name" for name in set(names) if names.count(name) > 1]
    if len(faults) < 20:
        troubles.append(f"only {len(faults)} faults: the list is to have at least 20")
    for trouble in troubles:
        print(trouble)
    print(f"{len(faults)} faults, {len(troubles)} that no longer fit")
    return 1 if troubles else 0


def seen_by_its_test(copy, fault):
    """One word for what happened."""
    path, original = fault.apply(copy.source)
    try:
        built = copy.build_for([fault.test])
        if built.returncode != 0:
            print(built.stdout[-3000:])
            return "does not compile"
        return "MISSED" if copy.passes(fault.test) else "seen"
    finally:
        path.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only see that the list still fits")
    parser.add_argument("--only", default="", help="faults whose name or test contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--when", metavar="VARIABLE",
                        help="do nothing (exit 77) unless the environment has this variable")
    options = parser.parse_args()
    if options.when and options.when not in os.environ:
        print(f"skipped: {options.when} is not set")
        return 77

    faults = [fault for path in sorted(HERE.glob("faults*.txt")) for fault in read_faults(path)]
    if options.check:
        return check(faults)
    faults = [fault for fault in faults if options.only in fault.name or options.only in fault.test]
    if not faults:
        sys.exit("no fault has such a name")

    with tempfile.TemporaryDirectory(prefix="am-mutation-") as folder:
        copy = Copy(pathlib.Path(folder), options.jobs)
        tests = sorted({fault.test for fault in faults})
        unknown = [test for test in tests if test not in copy.programs]
        if unknown:
            sys.exit(f"no such tests: {', '.join(unknown)}")
        if idle := [test for test in tests if not copy.programs[test]]:
            sys.exit(f"these tests run no program of the build: {', '.join(idle)}")
        built = copy.build_for(tests)
        if built.returncode != 0:
            sys.exit(f"the sources do not build:\n{built.stdout[-3000:]}")
        red = [test for test in tests if not copy.passes(test)]
        if red:
            sys.exit(f"these fail without any fault: {', '.join(red)}")

        bad = 0
        for fault in faults:
            verdict = seen_by_its_test(copy, fault)
            bad += verdict != "seen"
            print(f"{verdict:>16}  {fault.name}  ({fault.test})", flush=True)
    print(f"{len(faults)} faults, {len(faults) - bad} seen")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
