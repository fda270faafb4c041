"""The namespaces of one host: its first process is started in new ones, and gives them a name, a
/proc and a /sys of their own, empty folders for what is of one host alone, and the cluster's files
in place of some in /etc.

Nothing has to be taken down: the kernel removes all of it with the host's last process.
"""

import ctypes
import os
import pathlib
import signal
import socket
import subprocess
import sys

PR_SET_PDEATHSIG = 1
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC = 2, 4, 4096, 16384
# Empty in every host, and not seen by another one. /var/log is among them because sshd keeps its
# records of logins there.
OWN_FOLDERS = {"/dev/shm": "1777", "/tmp": "1777", "/run": "755", "/var/log": "755"}
BELOW_RUN = {"/run/lock": 0o1777, "/run/sshd": 0o755, "/run/munge": 0o755}
LIBC = ctypes.CDLL(None, use_errno=True)


class Refused(Exception):
    """A cluster is not possible on this machine."""


class Failed(Exception):
    """Something of the cluster does not work; with the status to exit with."""

    def __init__(self, line, status=1):
        super().__init__(line)
        self.status = status


# ---- from outside --------------------------------------------------------------------------------


class Namespaces:
    """New ones, which its first process holds open. That ends at once when this process ends,
    however it ends."""

    def __init__(self, name, state, shared_folders):
        self.name = name
        command = ["unshare", "--net", "--uts", "--ipc", "--pid", "--mount", "--fork",
                   "--kill-child"]
        if os.path.exists("/proc/self/ns/cgroup"):
            command.append("--cgroup")
        host = pathlib.Path(__file__).with_name("host.py")
        parent = os.getpid()
        # The main thread starts it: the end of the thread that forked counts, not the process's.
        self.process = subprocess.Popen(
            [*command, sys.executable, "-S", "-B", host, name, state, *shared_folders],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True, preexec_fn=lambda: end_with(parent))
        self.first = None  # a descriptor of the first process, and its pid on this machine
        self.pid = 0

    def wait_until_ready(self):
        """It has its mounts and takes commands."""
        said = self.process.stdout.readline().strip()
        if said != "ready":
            said += self.process.stdout.read().strip()
            problem = Refused if said.startswith("unshare: ") else Failed
            raise problem(f"{self.name} does not start: {said or 'its first process was killed'}")
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        self.pid = int(children.read_text().split()[0])
        self.first = os.pidfd_open(self.pid)
        if os.readlink(f"/proc/{self.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            raise Refused(f"{self.name} would be in this machine's own network")

    def end(self):
        """Kills its processes, and returns when the last one has ended."""
        if self.first is None:
            self.process.kill()
        else:
            try:
                signal.pidfd_send_signal(self.first, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has ended already
            os.close(self.first)
        self.process.wait()
        self.process.stdout.close()


def end_with(parent):
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # it ended before


# ---- from inside ---------------------------------------------------------------------------------


def mount(source, target, kind, flags=0, options=""):
    done = LIBC.mount(str(source).encode(), str(target).encode(), kind.encode(),
                      ctypes.c_ulong(flags), options.encode())
    if done != 0:
        reason = os.strerror(ctypes.get_errno())
        raise Failed(f"cannot mount {kind or source} on {target}: {reason}")


def prepare(name, state, shared_folders):
    """Called by the first process. Of the own folders, these remain those of the machine."""
    socket.sethostname(name)
    mount("proc", "/proc", "proc")
    mount_sys()
    shared = {folder: os.open(folder, os.O_PATH) for folder in shared_folders
              if is_below_own_folder(folder)}
    for folder, mode in OWN_FOLDERS.items():
        mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, f"mode={mode}")
    for folder, mode in BELOW_RUN.items():
        os.mkdir(folder)
        os.chmod(folder, mode)
    for folder, descriptor in shared.items():
        os.makedirs(folder, exist_ok=True)
        mount(f"/proc/self/fd/{descriptor}", folder, "", MS_BIND | MS_REC)
        os.close(descriptor)
    replace_files(state / "etc")
    hide_settings_of_root()


def is_below_own_folder(folder):
    return any(pathlib.Path(own) in pathlib.Path(folder).parents for own in OWN_FOLDERS)


def mount_sys():
    """/sys shows the interfaces of the network namespace in which it was mounted. Its cgroups are
    mounted anew, too: only then do their paths agree with /proc/self/cgroup."""
    lines = pathlib.Path("/proc/self/mounts").read_text().splitlines()
    mount("sysfs", "/sys", "sysfs")
    for source, target, kind, options, *_ in map(str.split, lines):
        if not target.startswith("/sys/fs/cgroup"):
            continue
        os.makedirs(target, exist_ok=True)
        general = ("rw", "ro", "nosuid", "nodev", "noexec", "relatime")
        own = [word for word in options.split(",") if word not in general]
        mount(source, target, kind, 0, ",".join(own))


def replace_files(folder):
    """Each file of this folder takes the place of that in /etc."""
    for path in folder.rglob("*"):
        target = pathlib.Path("/etc") / path.relative_to(folder)
        if path.is_file():
            mount(path, target, "", MS_BIND)


def hide_settings_of_root():
    """ssh must not use those of this machine's root, nor the shell that it starts."""
    home = pathlib.Path(os.path.expanduser("~root"))
    if (home / ".ssh").is_dir():
        mount("tmpfs", home / ".ssh", "tmpfs", MS_NOSUID | MS_NODEV, "mode=700")
    if (home / ".bashrc").is_file():
        mount(os.devnull, home / ".bashrc", "", MS_BIND)
