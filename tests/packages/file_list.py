"""packaging/files.txt, the list of all installed files, as it holds for one build."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "packaging/files.txt"
VERSION = re.search(r'AM_VERSION_STRING "(.*)"',
                    (ROOT / "libam/include/am/types.h").read_text())[1]

# What a file may need, and the line of CMakeCache.txt that says whether the build has it.
NEEDS = {
    "static": r"^AM_BUILD_STATIC:BOOL=(ON|1|TRUE|YES)$",
    "tcp": r"^AM_DEP_sodium_FOUND:INTERNAL=1$",
    "ucx": r"^AM_DEP_ucx_FOUND:INTERNAL=1$",
    "pmix": r"^AM_DEP_pmix_FOUND:INTERNAL=1$",
    "raw-ucx": r"^AM_CALIB_UCX_FOUND:INTERNAL=1$",
    "rpc": r"^AM_CALIB_TIRPC_FOUND:INTERNAL=1$",
    "openmpi": r"^AM_MPI_openmpi_COMPILER:FILEPATH=/",
    "mpich": r"^AM_MPI_mpich_COMPILER:FILEPATH=/",
}


def below(folder):
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


def left_out_of(cache):
    """Modules that the build is without although their libraries may be here."""
    return re.search(r"^AM_WITHOUT:STRING=(.*)$", cache, re.M)[1].split(";")


class file_list:
    """Of each path its package: those of an install tree, and those of packages alone."""

    def __init__(self, build):
        cache = (build / "CMakeCache.txt").read_text()
        self.installed, self.packaged_alone, self.faults = {}, {}, []
        for number, line in enumerate(LIST.read_text().splitlines(), 1):
            words = line.partition("#")[0].split()
            if words:
                self.add(words, cache, f"{LIST.relative_to(ROOT)}:{number}")

    def add(self, words, cache, place):
        path, package, *rest = words
        path = path.replace("@VERSION@", VERSION)
        into = self.installed
        for word in rest:
            if word == "packages-alone":
                into = self.packaged_alone
            elif word.startswith("from="):
                folder = ROOT / word.removeprefix("from=")
                for name in below(folder):
                    into[path.replace("**", name)] = package
                return
            elif word not in NEEDS:
                self.faults.append(f"{place}: '{word}'; a file may need {', '.join(NEEDS)}")
            elif not re.search(NEEDS[word], cache, re.M) or word in left_out_of(cache):
                return
        if path in into:
            self.faults.append(f"{place}: {path} is listed twice")
        into[path] = package

    def compare(self, what, found, packages_too):
        """Adds a fault for every path of `found` (path, package) that differs from the list. A
        package of None is not compared."""
        wanted = self.installed | (self.packaged_alone if packages_too else {})
        for path in sorted(wanted.keys() - found.keys()):
            self.faults.append(f"{what}: {path} is in {LIST.name}, and not there")
        for path in sorted(found.keys() - wanted.keys()):
            self.faults.append(f"{what}: {path} is there, and not in {LIST.name}")
        for path in sorted(found.keys() & wanted.keys()):
            if found[path] not in (None, wanted[path]):
                self.faults.append(f"{what}: {path} is in {found[path]}; {LIST.name} has it in "
                                   f"{wanted[path]}")


def installed_tree(build):
    """The paths of the tree that the test install.tree has installed and moved."""
    tree = build / "tests/installed/moved"
    libdir = next(tree.rglob("libam.so")).parent.relative_to(tree)
    return {re.sub(f"^{re.escape(str(libdir))}/", "lib/", str(path.relative_to(tree))): None
            for path in tree.rglob("*") if path.is_symlink() or not path.is_dir()}
