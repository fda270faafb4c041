#!/usr/bin/env python3
"""Makes the Debian packages of a build and checks their contents; or makes a root to install them
in, which leaves the machine unchanged.

usage: packages.py contents|units|lintian|overlay|scripts|rpm_scripts|
                   bare BUILD-DIRECTORY

contents  the packages and the install tree have the files of packaging/files.txt, and each package
          the fields that Debian requires
units     systemd accepts the units, and they name the paths that the tools have
lintian   lintian reports nothing (label long: takes its time)
overlay   installs them on top of this machine's root, whose changes are discarded
scripts   what am-tools does with the timer when it is installed, upgraded, removed and purged;
          rpm_scripts: the same of its RPM
systemd   the same under a systemd that runs, and that it measures; in a container it does not
bare      installs them in a root with only Debian's base (label long: downloads it)

Exit 77: not possible here; one line gives the reason.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import file_list

HERE = pathlib.Path(__file__).resolve().parent
step, BUILD = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
PACKAGES = BUILD / "packages"
IMPOSSIBLE = 77
faults = []


def run(*command, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    out = subprocess.run(command, stdin=subprocess.DEVNULL, text=True, **options)
    if out.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {out.returncode}\n{out.stdout}{out.stderr}")
    return out.stdout


def expect(holds, fault):
    if not holds:
        faults.append(fault)


def make():
    for old in PACKAGES.glob("*.deb"):
        old.unlink()
    run("cpack", "--config", BUILD / "CPackConfig.cmake")
    return {deb.name.split("_")[0]: deb for deb in sorted(PACKAGES.glob("*.deb"))}


def field(deb, name):
    return run("dpkg-deb", "--field", deb, name).strip()


def files_of(deb):
    """The path below /usr of everything but folders, and the target if it is a link."""
    found = {}
    for line in run("dpkg-deb", "--contents", deb).splitlines():
        mode, owner, _, _, _, path = line.split(maxsplit=5)
        expect(owner == "root/root", f"{deb.name}: {path} belongs to {owner}")
        if not mode.startswith("d"):
            path, _, target = path.partition(" -> ")
            found[path.removeprefix(".").removeprefix("/usr/")] = target
    return found


def plain(path, architecture):
    """A file's name in an install tree: without architecture, package and compression."""
    path = path.replace(f"lib/{architecture}/", "lib/").removesuffix(".gz")
    return re.sub("^share/doc/libam-dev/examples/", "share/doc/am/examples/", path)


def contents():
    debs = make()
    architecture = run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
    packed = {}
    for package, deb in debs.items():
        for path in files_of(deb):
            if not re.match("share/(doc/.*/(copyright|changelog.Debian.gz)|lintian/)", path):
                expect(path not in packed, f"{path} is in {package} and in {packed.get(path)}")
                packed[path] = package
    wanted = file_list.file_list(BUILD)
    wanted.compare("the install tree", file_list.installed_tree(BUILD), False)
    wanted.compare("Debian packages",
                   {plain(path, architecture): package for path, package in packed.items()}, True)
    faults.extend(wanted.faults)

    for package, path in (("libam0", "libam.so.0"), ("libam-dev", "libam.so"),
                          ("libam-dev", "pkgconfig/am.pc"), ("libam-dev", "cmake/am/amConfig.cmake")):
        path = f"lib/{architecture}/{path}"
        expect(packed.get(path) == package, f"{path} is in {packed.get(path)}, not in {package}")
    version = field(debs["libam0"], "Version")
    for package in ("libam-dev", "am-tools"):
        depends = field(debs[package], "Depends")
        expect(f"libam0 (= {version})" in depends, f"{package} depends on {depends}")
    for package, deb in debs.items():
        depends = field(deb, "Depends")
        mpi = re.findall(r"lib(?:open)?mpi\w*|libuc\w*", depends)
        expect(package in ("am-peers", "libam-ucx") or not mpi, f"{package} depends on {mpi}")
        expect("libc6 (>=" in depends or package == "libam-dev", f"{package} depends on {depends}")
    control = run("dpkg-deb", "--ctrl-tarfile", debs["libam0"], encoding="latin-1")
    for name in ("symbols", "shlibs", "triggers", "md5sums"):
        expect(f"./{name}\0" in control or f"{name}\0" in control, f"libam0 has no {name}")
    for fault in faults:
        print(fault)
    print(f"{len(packed)} files in {', '.join(debs)}: {len(faults)} faults")
    sys.exit(1 if faults else 0)


def check_setting(service, settings):
    """Only measure=no forbids the measurement."""
    condition = re.search(r"^ExecCondition=/bin/sh -c '(.*)'$", service, re.M)[1].replace("$$", "$")
    packed = re.findall(r"^measure=(.*)$", settings.read_text(), re.M)
    if packed != ["yes"] or "EnvironmentFile=-/etc/default/am-tools\n" not in service:
        sys.exit(f"{settings.name} has measure={packed}, or {service} does not read it")
    for value, allowed in (("yes", True), ("", True), ("no", False)):
        status = subprocess.run(["sh", "-c", condition], env={"measure": value}).returncode
        if (status == 0) != allowed:
            sys.exit(f"measure={value}: {condition}: status {status}")


def check_attempts(service):
    """They end, and only those are repeated that may succeed later."""
    value = dict(line.split("=", 1) for line in service.splitlines() if re.match(r"\w+=", line))
    # The interval in which attempts count must hold all of them, or they never end.
    minutes = int(value["RestartSec"].removesuffix("min"))
    hours = int(value["StartLimitIntervalSec"].removesuffix("h"))
    attempts = int(value["StartLimitBurst"])
    if hours * 60 < attempts * (minutes + 10):  # an attempt takes minutes, too
        sys.exit(f"{attempts} attempts every {minutes} minutes count for {hours} hours: no limit")
    for name, wanted in (("Restart", "on-failure"), ("RestartPreventExitStatus", "1 2 4"),
                         ("SuccessExitStatus", "4 130")):
        if value.get(name) != wanted:
            sys.exit(f"{name} is {value.get(name)}, not {wanted}")


def units():
    """Of the built am-tools, whose programs systemd looks for where the units have them."""
    if shutil.which("systemd-analyze") is None:
        sys.exit("systemd-analyze is missing: install the package systemd")
    with tempfile.TemporaryDirectory(prefix="units-", dir=PACKAGES) as stage:
        for deb in PACKAGES.glob("am-tools*.deb"):
            run("dpkg-deb", "--extract", deb, stage)
        folder = pathlib.Path(stage) / "usr/lib/systemd/system"
        found = sorted(folder.glob("am-*"))
        if [unit.name for unit in found] != ["am-calibrate.service", "am-calibrate.timer"]:
            sys.exit(f"the units are {found}")
        for unit in found:
            text = unit.read_text().replace("/usr/bin/am-", f"{stage}/usr/bin/am-")
            unit.write_text(text)
            conditions = re.findall(r"^(Condition\w+=.*)$", text, re.M)
            if conditions != ["ConditionVirtualization=!container"]:  # others go by what is measured
                sys.exit(f"{unit.name} has the conditions {conditions}")
        check_attempts(found[0].read_text())
        check_setting(found[0].read_text(), pathlib.Path(stage) / "etc/default/am-tools")
        said = run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *found,
                   stderr=subprocess.STDOUT)
        sys.exit(said or 0)


def lintian():
    """Ignores only that a first upload closes no bug."""
    if shutil.which("lintian") is None:
        print("lintian is not installed")
        sys.exit(IMPOSSIBLE)
    run("lintian", "--allow-root", "--fail-on", "error,warning", "--suppress-tags",
        "initial-upload-closes-no-bugs", *PACKAGES.glob("*.deb"))


def in_root(script):
    """Runs a script that mounts, in a mount namespace of its own: its mounts end with it, so that
    only its folder is removed then."""
    own = ["unshare", "--mount", "--propagation", "private"]
    if os.geteuid() != 0 or subprocess.run([*own, "true"], capture_output=True).returncode != 0:
        print("not possible here: to install packages in a root of their own takes root and the "
              "right to mount (CAP_SYS_ADMIN)")
        sys.exit(IMPOSSIBLE)
    with tempfile.TemporaryDirectory(prefix="root-", dir=PACKAGES) as stage:
        status = subprocess.run([*own, "bash", HERE / script, BUILD, stage]).returncode
    sys.exit(status)


if step == "contents":
    contents()
elif step == "units":
    units()
elif step == "lintian":
    lintian()
else:
    in_root(f"{step}.sh")
