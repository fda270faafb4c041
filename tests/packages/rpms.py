#!/usr/bin/env python3
"""Makes the RPMs of a build, checks what they contain, need and provide, installs them in a root of
their own by rpm, uses them from there and erases them: nothing is left.

usage: rpms.py BUILD-DIRECTORY
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import checklist  # noqa: E402
import file_list  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
PACKAGES = BUILD / "packages"
VERSION = file_list.VERSION
check = checklist.check


def run(*command, **environment):
    out = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         timeout=600, env={**os.environ, **environment})
    if out.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {out.returncode}\n{out.stdout}{out.stderr}")
    return out.stdout


def query(rpm, form):
    return run("rpm", "--query", "--package", "--queryformat", form, rpm).splitlines()


def make():
    for old in PACKAGES.glob("*.rpm"):
        old.unlink()
    run("cpack", "-G", "RPM", "--config", BUILD / "CPackConfig.cmake")
    return {query(rpm, "%{NAME}")[0]: rpm for rpm in sorted(PACKAGES.glob("*.rpm"))}


def library_folder(paths):
    return next(path for path in paths if path.endswith("/libam.so.0")).removesuffix("/libam.so.0")


def plain(path, libdir):
    """A file's name in an install tree."""
    path = re.sub(f"^{re.escape(libdir)}/", "/usr/lib/", path).removesuffix(".gz")
    path = path.replace("/usr/share/doc/libam-devel/examples/", "/usr/share/doc/am/examples/")
    return path.removeprefix("/usr/")


def check_contents(rpms):
    found = {}
    for package, rpm in rpms.items():
        for line in query(rpm, "[%{FILENAMES}\t%{FILEMODES:perms}\t%{FILEUSERNAME}\n]"):
            path, mode, owner = line.split("\t")
            check(owner == "root", f"{package}: {path} belongs to {owner}")
            if mode.startswith("d"):
                check(re.search(r"/(am|libam0|libam-\w+|am-\w+)(/|$)", path), f"{package} has {path}/")
            elif not path.startswith("/usr/share/licenses/"):
                found[path] = package.replace("libam-devel", "libam-dev")
        check(f"/usr/share/licenses/{package}/LICENSE" in query(rpm, "[%{FILENAMES}\n]"),
              f"{package} has no licence")
    libdir = library_folder(found)
    wanted = file_list.file_list(BUILD)
    wanted.compare("RPMs", {plain(path, libdir): package for path, package in found.items()}, True)
    for fault in wanted.faults:
        check(False, fault)
    check(len(found) > 100, f"{len(found)} files in all")
    return libdir


def check_relations(rpms):
    for package, rpm in rpms.items():
        version = query(rpm, "%{VERSION}-%{RELEASE}")[0]
        check(version == f"{VERSION}-1", f"{package} is of version {version}, types.h of {VERSION}")
        needs = query(rpm, "[%{REQUIRENAME} %{REQUIREFLAGS:depflags} %{REQUIREVERSION}\n]")
        base = "am-tools" if package == "am-peers" else "libam0"
        check(package == base or f"{base} = {VERSION}-1" in needs, f"{package} needs {needs}")
        mpi = [need for need in needs if re.match(r"lib(mpi|uc[pst])", need)]
        check(not mpi or package in ("am-peers", "libam-ucx"), f"{package} needs {mpi}")
        check(package == "libam-devel" or any(need.startswith("libc.so.6") for need in needs),
              f"{package} needs {needs}")
        offers = query(rpm, "[%{PROVIDENAME}\n]")
        private = [offer for offer in offers if re.match(r"(tcp|ucx|pmix|dial-mpi-.*)\.so", offer)]
        check(not private, f"{package} provides {private}, which only libam loads")
        is_library = any(offer.startswith("libam.so.0(AM_0)") for offer in offers)
        check(is_library == (package == "libam0"), f"{package} provides {offers}")
        for text in ("SUMMARY", "DESCRIPTION", "LICENSE"):
            check(query(rpm, f"%{{{text}}}") not in ([], ["(none)"]), f"{package} has no {text}")


def use(root, libdir):
    library = root / f"{libdir}/libam.so.0".lstrip("/")
    names = run("readelf", "--dynamic", library)
    check("Library soname: [libam.so.0]" in names, f"{library.name}: {names}")
    for program in ("usr/bin/am-run", "usr/lib/am/calib/am", f"{libdir}/am/tcp.so".lstrip("/")):
        if (root / program).exists():
            names = run("readelf", "--dynamic", root / program)
            check("RUNPATH" not in names and "RPATH" not in names, f"{program} has a run path")
    pc = run("pkg-config", "--modversion", "am", PKG_CONFIG_LIBDIR=root / f"{libdir}/pkgconfig".lstrip("/"))
    check(pc.strip() == VERSION, f"am.pc is of version {pc.strip()}, types.h of {VERSION}")
    shown = run(root / "usr/bin/am-run", "--version", LD_LIBRARY_PATH=library.parent)
    check(shown.startswith(f"am-run {VERSION} "), f"am-run --version says {shown}")


def install_and_erase(rpms, libdir):
    """Scripts do not run: there is no shell in that root."""
    with tempfile.TemporaryDirectory(prefix="rpm-", dir=PACKAGES) as folder:
        root = pathlib.Path(folder)
        rpm = ("rpm", "--root", root, "--dbpath", "/var/lib/rpm", "--noscripts", "--nodeps")
        run(*rpm, "--install", *rpms.values())
        use(root, libdir)
        run(*rpm, "--erase", *rpms)
        left = [str(path.relative_to(root)) for path in root.rglob("*")
                if not path.is_dir() or path.name == "am" or "libam" in path.name]
        left = [path for path in left if not path.startswith("var/lib/rpm/")]
        check(not left, f"erased, and left: {left}")


for tool in ("rpmbuild", "rpm"):
    if shutil.which(tool) is None:
        sys.exit(f"{tool} is missing: install the package rpm")
all_rpms = make()
folder_of_libraries = check_contents(all_rpms)
check_relations(all_rpms)
install_and_erase(all_rpms, folder_of_libraries)
checklist.finish()
