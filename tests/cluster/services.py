"""What runs in each host: an OpenSSH server and, for Slurm, munged. Keys and settings are the
cluster's own."""

import os
import shlex
import shutil
import subprocess
import time

import commands
from host_namespaces import Failed

SSH_PROGRAMS = {"sshd": "openssh-server", "ssh": "openssh-client", "ssh-keygen": "openssh-client"}
MUNGE_PROGRAMS = {"munged": "munge"}
SECONDS = 30  # for a service to be ready
SERVER = """
HostKey {state}/host_key
AuthorizedKeysFile {state}/key.pub
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PrintMotd no
MaxStartups 1000
MaxSessions 1000
Subsystem sftp internal-sftp
SetEnv {environment}
"""
CLIENT = """
Host *
IdentityFile {state}/key
IdentitiesOnly yes
IdentityAgent none
UserKnownHostsFile {state}/known_hosts
GlobalKnownHostsFile none
StrictHostKeyChecking yes
UpdateHostKeys no
BatchMode yes
LogLevel ERROR
"""
# Many machines lock the account of root, which sshd respects.
ACCOUNTS = "root:*:19000:0:99999:7:::\n"


def program(name):
    """Its full path: sshd starts itself again by it."""
    return shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")


def write_ssh_files(cluster):
    state = cluster.state
    started = [subprocess.Popen([program("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-C",
                                 "cluster", "-f", state / name])
               for name in ("key", "host_key")]
    if any([process.wait() for process in started]):
        raise Failed("ssh-keygen makes no keys")
    (state / "known_hosts").write_text("* " + (state / "host_key.pub").read_text())
    environment = {**cluster.environment, "PATH": commands.environment_in(cluster)["PATH"]}
    words = shlex.join(f"{name}={value}" for name, value in environment.items())
    (state / "sshd_config").write_text(SERVER.format(state=state, environment=words))
    (state / "etc/ssh").mkdir()
    (state / "etc/ssh/ssh_config").write_text(CLIENT.format(state=state))
    (state / "etc/shadow").write_text(ACCOUNTS)
    (state / "etc/shadow").chmod(0o600)


def write_munge_key(cluster):
    (cluster.state / "munge.key").write_bytes(os.urandom(1024))
    (cluster.state / "munge.key").chmod(0o400)


class Service:
    """A program in a host, which ends with this object's process. `is_ready` is a function."""

    def __init__(self, cluster, host, name, options, is_ready):
        self.title = f"{name} in {host}"
        self.log = cluster.state / host / f"{name}.log"
        self.is_ready = is_ready
        self.command = commands.start(cluster, host, [program(name), *map(str, options)], self.log)

    def last_lines(self):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-10:])


def start_sshd(cluster, host):
    pid_file = cluster.state / host / "sshd.pid"  # written when it listens
    options = ["-D", "-e", "-f", cluster.state / "sshd_config", "-o", f"PidFile={pid_file}"]
    return Service(cluster, host, "sshd", options, pid_file.exists)


def start_munged(cluster, host):
    folder = cluster.state / host
    options = ["--foreground", "--force", f"--key-file={cluster.state}/munge.key",
               "--socket=/run/munge/munge.socket.2", f"--pid-file={folder}/munged.pid",
               f"--seed-file={folder}/munged.seed", f"--log-file={folder}/munged.messages"]
    # The host's /run, seen from here.
    its_socket = f"/proc/{cluster.pids[host]}/root/run/munge/munge.socket.2"
    return Service(cluster, host, "munged", options, lambda: os.path.exists(its_socket))


def wait_until_ready(services, wait=0.01):
    waiting, end = list(services), time.monotonic() + SECONDS
    while waiting := [service for service in waiting if not service.is_ready()]:
        for service in waiting:
            if service.command.has_ended():
                raise Failed(f"{service.title} ended while it started:\n{service.last_lines()}")
        if time.monotonic() > end:
            raise Failed(f"{waiting[0].title} is not ready after {SECONDS} s:\n"
                         f"{waiting[0].last_lines()}")
        time.sleep(wait)
