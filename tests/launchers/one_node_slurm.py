"""A Slurm of one node that needs only its programs and root: a folder of its own, free ports, and
nothing of it outlives this process."""

import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import harness

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sinfo")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CONFIGURATION = """
ClusterName=am
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def reason_missing():
    """Why it cannot be started here, or nothing."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    lacking = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    if lacking:
        return f"no {', '.join(lacking)} here (packages slurm-wlm, munge)"
    return "" if os.geteuid() == 0 else "a Slurm of one's own takes root"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def prctl(option, value):
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


class OneNodeSlurm:
    def __enter__(self):
        # Children of a daemon become children of this process, which ends them.
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-"))
        self.folder.chmod(0o755)
        self.daemons = []
        try:
            self.start_daemons()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start_daemons(self):
        host = os.uname().nodename.split(".")[0]
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        configuration = self.folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(
            host=host, folder=self.folder, controller_port=free_port(), node_port=free_port()))
        # A daemon that was killed leaves no files.
        (self.folder / "mpi.conf").write_text(f"PMIxCliTmpDirBase={self.folder}\n")
        self.environment = {"SLURM_CONF": str(configuration)}
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}",
                    f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munge.pid",
                    f"--seed-file={self.folder}/munge.seed", f"--log-file={self.folder}/munge.log")
        self.wait_for("munged", (self.folder / "munge.socket").exists)
        self.daemon("slurmctld", "-D")
        self.daemon("slurmd", "-D")
        self.wait_for("an idle node", lambda: "idle" in self.output_of("sinfo", "-h", "-o", "%t"))

    def daemon(self, name, *options):
        path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
        with open(self.folder / f"{name}.out", "w", encoding="utf-8") as log:
            self.daemons.append(subprocess.Popen(
                [shutil.which(name, path=path), *options], stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, env={**os.environ, **self.environment},
                preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL)))

    def output_of(self, *command):
        return subprocess.run(command, capture_output=True, text=True, timeout=20,
                              env={**os.environ, **self.environment}).stdout

    def wait_for(self, what, condition, seconds=30):
        if not harness.wait_until(condition, seconds):
            logs = "".join(path.read_text(errors="replace")[-2000:]
                           for path in sorted(self.folder.glob("*.out")))
            raise RuntimeError(f"Slurm: no {what} after {seconds} s\n{logs}")

    def __exit__(self, *_):
        for one in reversed(self.daemons):
            one.terminate()
        end = time.monotonic() + 5
        while time.monotonic() < end and any(one.poll() is None for one in self.daemons):
            time.sleep(0.05)
        for pid in harness.descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for one in self.daemons:
            one.wait()
        try:
            while True:
                os.waitpid(-1, 0)  # the daemons' children
        except ChildProcessError:
            pass
        shutil.rmtree(self.folder, ignore_errors=True)
