#!/usr/bin/env python3
"""The recipe for Spack agrees with the project: the version, the options of CMake, the modules that
may be left out, the libraries and their least versions. Spack itself is not here: its directives
are replaced by ones that record their arguments.

usage: spack.py BUILD-DIRECTORY
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import checklist  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
RECIPE = ROOT / "packaging/spack/package.py"
check = checklist.check

# Debian's packages by Spack's name. Ninja is not needed: Spack chooses the generator.
SPACK_NAMES = {"g++": "cxx", "pkg-config": "pkgconfig", "libhwloc-dev": "hwloc",
               "libboost-dev": "boost", "libfmt-dev": "fmt", "libxxhash-dev": "xxhash",
               "libsodium-dev": "libsodium", "libucx-dev": "ucx", "libpmix-dev": "pmix",
               "libcli11-dev": "cli11", "nlohmann-json3-dev": "nlohmann-json",
               "doctest-dev": "doctest", "ninja-build": None}


class cmake_package:
    """Spack's CMakePackage, as far as the recipe uses it."""

    def __init__(self, without, static):
        self.spec = {f"~{name}" for name in without}
        self.variants = {"static": static}
        self.run_tests = False

    @staticmethod
    def define(name, value):
        if isinstance(value, bool):
            return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
        return f"-D{name}:STRING={';'.join(value)}"

    def define_from_variant(self, name, variant):
        return self.define(name, self.variants[variant])


def load():
    """The class of the recipe, and the calls of each directive: (first argument, the others)."""
    calls = {}
    stub = types.ModuleType("spack.package")
    for directive in ("license", "version", "variant", "depends_on", "conflicts"):
        def record(name, directive=directive, **others):
            calls.setdefault(directive, []).append((name, others))
        setattr(stub, directive, record)
    name = "spack_repo.builtin.build_systems.cmake"  # since Spack 1.0; spack.package has none
    for part in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        sys.modules[part] = types.ModuleType(part)
    sys.modules["spack.package"] = stub
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].CMakePackage = cmake_package
    space = {}
    exec(compile(RECIPE.read_text(), RECIPE, "exec"), space)  # pylint: disable=exec-used
    return space["Libam"], calls


def check_versions(calls):
    header = (ROOT / "libam/include/am/types.h").read_text()
    version = re.search(r'AM_VERSION_STRING "(.*)"', header)[1]
    numbers = [name for name, _ in calls["version"] if name != "main"]
    check(numbers and numbers[0] == version, f"versions {numbers}; types.h: {version}")
    for name, others in calls["version"]:
        check(name == "main" or others == {"tag": f"v{name}"}, f"version {name}: {others}")


def check_dependencies(calls):
    needed = re.findall(r"^([\w+-]+) +#", (ROOT / "packaging/packages/build.txt").read_text(), re.M)
    wanted = {SPACK_NAMES.get(name, name) for name in needed} - {None} | {"c"}
    least = dict(name.split("@") if "@" in name else (name, "") for name, _ in calls["depends_on"])
    check(set(least) == wanted, f"depends on {sorted(least)}; build.txt: {sorted(wanted)}")
    dependencies = (ROOT / "cmake/dependencies.cmake").read_text()
    for name in ("ucx", "pmix"):
        number = re.search(rf'"{name}>=([\d.]+)"', dependencies)[1]
        check(least.get(name) == f"{number}:", f"{name}@{least.get(name)}; CMake: {number}")
    number = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)",
                       (ROOT / "CMakeLists.txt").read_text())[1]
    check(least.get("cmake") == f"{number}:", f"cmake@{least.get('cmake')}; CMake: {number}")


def check_modules(calls, recipe):
    dependencies = (ROOT / "cmake/dependencies.cmake").read_text()
    modules = re.search(r"set\(am_all_modules ([\w ]+)\)", dependencies)[1].split()
    variants = [name for name, _ in calls["variant"]]
    check(variants == ["static", *modules], f"variants {variants}; CMake: {modules}")
    for name in modules:
        when = [others for _, others in calls["depends_on"] if others.get("when") == f"+{name}"]
        check(len(when) == 1, f"+{name} needs {when}")
        check(f"-DAM_WITHOUT:STRING={name}" in recipe([name], False).cmake_args(),
              f"~{name} is not AM_WITHOUT={name}")
    for static, value in ((False, "OFF"), (True, "ON")):
        check(f"-DAM_BUILD_STATIC:BOOL={value}" in recipe([], static).cmake_args(),
              f"static={static} is not AM_BUILD_STATIC={value}")


def check_options(recipe):
    """Every option that the recipe sets is one of the project, and CMake obeys AM_WITHOUT."""
    arguments = recipe(["tcp", "ucx", "pmix"], False).cmake_args()
    cache = (BUILD / "CMakeCache.txt").read_text()
    for argument in arguments:
        name = re.match(r"-D(\w+):", argument)[1]
        check(re.search(rf"^{name}:(BOOL|STRING)=", cache, re.M), f"{name} is no option")
    with tempfile.TemporaryDirectory() as folder:
        configure = ["cmake", "-S", ROOT, "-B", folder]
        out = subprocess.run([*configure, *arguments], capture_output=True, text=True, timeout=300)
        check(out.returncode == 0, f"{' '.join(arguments)}: {out.stderr}")
        targets = (pathlib.Path(folder) / "cmake_install.cmake").exists() and subprocess.run(
            ["cmake", "--build", folder, "--target", "help"], capture_output=True, text=True).stdout
        left = re.findall(r"\bam_module_(?:tcp|ucx|pmix)\b", targets or "am_module_tcp")
        check(not left, f"{' '.join(arguments)} builds {left}")
        out = subprocess.run([*configure, "-DAM_WITHOUT=udp"], capture_output=True, text=True)
        check("AM_WITHOUT=udp" in out.stderr and "tcp, ucx, pmix" in out.stderr,
              f"-DAM_WITHOUT=udp: {out.stderr}")


made, all_calls = load()
check_versions(all_calls)
check_dependencies(all_calls)
check_modules(all_calls, made)
check_options(made)
checklist.finish()
