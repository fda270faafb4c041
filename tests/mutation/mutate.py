#!/usr/bin/env python3
"""Breaks libam on purpose, one line at a time, and expects a named test to fail.

faults/*.txt list the faults, by folder of the sources. `mutate.py --check` only checks that every
line to be broken occurs exactly once in its file (part of every test run). `mutate.py` copies the sources, builds, checks
that the named tests pass, and then, fault by fault: breaks the line, builds what the test needs,
runs the test and expects it to fail. A test that hangs counts as failed. Every job has its own
copy, since much of the time is spent waiting for tests.
"""
import argparse
import concurrent.futures
import contextlib
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MIN_FAULTS = 150  # a shorter list of faults is an error
KEYS = ("file", "line", "instead", "test")
# These tests run one program that joins no job over a module, so no modules are built for them.
SINGLE_PROGRAM = re.compile(r"protocol-\w+|unit|base|wire|tcp|ucx|ucx-over-tcp|calib-recovery")


class Fault:
    def __init__(self, name, parts, where):
        missing = [key for key in KEYS if key not in parts]
        if missing:
            sys.exit(f"{where}: fault '{name}' lacks {', '.join(missing)}")
        self.name = name
        self.file, self.line, self.instead, self.test = (parts[key] for key in KEYS)
        if self.line == self.instead:
            sys.exit(f"{where}: fault '{name}' changes nothing")

    def problem(self, root):
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
    """The faults of a list. Each begins with its [name]. `line` is the text to break, which occurs
    once in the file, and `instead` the fault; `remove` is a text to remove. `file`, from the top of
    the sources, holds for all faults below it, and `test`, the name that ctest has for the test that
    must fail, until the next `file`."""
    faults, place, name, parts = [], {}, None, {}

    def finish():
        if name is not None:
            if "remove" in parts:
                parts.update(line=parts.pop("remove"), instead="")
            faults.append(Fault(name, place | parts, path))

    for text in path.read_text().splitlines() + ["[end]"]:
        key, _, value = text.partition(":")
        if text.startswith("[") and text.endswith("]"):
            finish()
            name, parts = text[1:-1], {}
        elif key in ("file", "test"):
            finish()
            name = None
            place = ({} if key == "file" else place) | {key: value.strip()}
        elif key in ("line", "instead", "remove") and name is not None and key not in parts:
            parts[key] = value.removeprefix(" ")
        elif text.strip():
            sys.exit(f"{path}: this row has no place here: {text}")
    return faults


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **more)


class Copy:
    """A copy of the sources with a build of its own; the copies share what they compile."""

    def __init__(self, folder):
        self.source = folder / "source"
        self.build = folder / "build"
        shutil.copytree(ROOT, self.source, ignore=shutil.ignore_patterns("build", ".git"))
        # By contents: a restored line is not compiled again.
        self.env = {**os.environ, "CCACHE_DIR": str(folder.parent / "cache"),
                    "CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}
        # The ordinary tests are to detect the faults, not their longer forms.
        self.env.pop("LIBAM_TEST_LONG", None)
        caching = [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX")]
        done = run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja",
                    "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
                    *(caching if shutil.which("ccache") else [])], env=self.env)
        if done.returncode != 0:
            sys.exit(f"cannot configure:\n{done.stdout}")
        self.programs = self.programs_of_tests()
        # A test's command does not show which modules it loads.
        rules = (self.build / "build.ninja").read_text()
        modules = re.findall(r"^build (am_module_(?!base)\w+): phony", rules, re.M)
        self.modules = sorted(set(modules))

    def programs_of_tests(self):
        """The programs of the build that each test runs (ctest lists only those that are built). By
        their paths: the name alone may also occur elsewhere."""
        programs = {}
        for listed in self.build.rglob("CTestTestfile.cmake"):
            # An argument may have ends of lines in it.
            for name, command in re.findall(
                    r'^add_test\((?:\[=\[)?([^\s\]"]+)(?:\]=\])? ((?:.|\n)*?)\)$',
                    listed.read_text(), re.MULTILINE):
                inside = re.findall(rf'["=;\s]{re.escape(str(self.build))}/([^";\s]+)', command)
                programs[name] = inside
        return programs

    def build_for(self, tests, jobs=1):
        targets = {program for test in tests for program in self.programs[test]}
        if not all(SINGLE_PROGRAM.fullmatch(test) for test in tests):
            targets.update(self.modules)
        return run(["ninja", "-C", self.build, "-j", str(jobs), *sorted(targets)], env=self.env)

    def prepare(self, tests, jobs):
        """Builds what the tests need."""
        if unknown := [test for test in tests if test not in self.programs]:
            sys.exit(f"no such tests: {', '.join(unknown)}")
        if idle := [test for test in tests if not self.programs[test]]:
            sys.exit(f"these tests run no program of the build: {', '.join(idle)}")
        built = self.build_for(tests, jobs)
        if built.returncode != 0:
            sys.exit(f"the sources do not build:\n{built.stdout[-3000:]}")

    def test(self, test, seconds):
        """Its output and exit status; None: it exceeded the time limit."""
        command = ["ctest", "--test-dir", self.build, "-R", f"^{re.escape(test)}$",
                   "--no-tests=error", "--output-on-failure"]
        try:
            return run(command, env={**self.env, "LIBAM_TEST_FAIL_FAST": "1"}, timeout=seconds)
        except subprocess.TimeoutExpired:
            return None

    def end_programs(self):
        """A rank that no longer notices its launcher's end would run forever."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if pathlib.Path(os.readlink(process / "exe")).is_relative_to(self.build):
                    os.kill(int(process.name), signal.SIGKILL)


def check(faults):
    problems = [f"{fault.name}: {problem}" for fault in faults
                if (problem := fault.problem(ROOT)) is not None]
    names = [fault.name for fault in faults]
    problems += [f"{name}: two faults have this name" for name in set(names)
                 if names.count(name) > 1]
    if len(faults) < MIN_FAULTS:
        problems.append(f"only {len(faults)} faults: the list is to have at least {MIN_FAULTS}")
    for problem in problems:
        print(problem)
    print(f"{len(faults)} faults, {len(problems)} that no longer fit")
    return 1 if problems else 0


def result_of(copy, fault, seconds):
    """The result, in a word."""
    path, original = fault.apply(copy.source)
    try:
        built = copy.build_for([fault.test])
        if built.returncode != 0:
            return "does not compile"
        done = copy.test(fault.test, seconds)
        return "MISSED" if done is not None and done.returncode == 0 else "seen"
    finally:
        path.write_text(original)
        copy.end_programs()


def inject_all(faults, jobs, folder):
    """Yields (fault, result), each when it is known."""
    copies = queue.SimpleQueue()
    tests = sorted({fault.test for fault in faults})
    limits = {}  # of each test, from its time without a fault
    for number in range(jobs):
        copy = Copy(folder / str(number))
        copy.prepare(tests, jobs)
        for test in tests if number == 0 else []:
            start = time.monotonic()
            done = copy.test(test, None)
            if done.returncode != 0:
                sys.exit(f"{test} fails without any fault:\n{done.stdout}")
            limits[test] = int(20 + 4 * (time.monotonic() - start))
        copies.put(copy)

    def in_some_copy(fault):
        copy = copies.get()
        try:
            return fault, result_of(copy, fault, limits[fault.test])
        finally:
            copies.put(copy)

    with concurrent.futures.ThreadPoolExecutor(jobs) as workers:
        for one in concurrent.futures.as_completed(
                [workers.submit(in_some_copy, fault) for fault in faults]):
            yield one.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only see that the list still fits")
    parser.add_argument("--only", default="", help="faults whose name or test contains this")
    # One more than there are processors: much of it is waiting.
    parser.add_argument("--jobs", type=int, default=os.cpu_count() + 1)
    parser.add_argument("--when", metavar="VARIABLE",
                        help="do nothing (exit 77) unless the environment has this variable")
    options = parser.parse_args()
    if options.when and options.when not in os.environ:
        print(f"skipped: {options.when} is not set")
        return 77

    faults = [fault for path in sorted(HERE.glob("faults/*.txt")) for fault in read_faults(path)]
    if options.check:
        return check(faults)
    faults = [fault for fault in faults if options.only in fault.name or options.only in fault.test]
    if not faults:
        sys.exit("no fault has such a name")

    bad = 0
    with tempfile.TemporaryDirectory(prefix="mutation-of-am-") as folder:
        for fault, verdict in inject_all(faults, options.jobs, pathlib.Path(folder)):
            bad += verdict != "seen"
            print(f"{verdict:>16}  {fault.name}  ({fault.test})", flush=True)
    print(f"{len(faults)} faults, {len(faults) - bad} seen")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
