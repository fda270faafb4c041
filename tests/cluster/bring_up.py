"""Brings a cluster up, and takes it down again."""

import os
import pathlib
import subprocess

import clusters
import network
import services
import slurm
from host_namespaces import Namespaces, Refused

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
# Ends when its input does, which is when the process that has started it ends, however it ends.
REMOVE_LATER = """
read -r line
for try in $(seq 100); do rm -rf -- "$0" && exit; sleep 0.1; done
"""


def refuse_if_impossible(with_slurm):
    if os.geteuid() != 0:
        raise Refused("a cluster takes root: it makes namespaces and mounts")
    wanted = {**network.PROGRAMS, **services.SSH_PROGRAMS}
    if with_slurm:
        wanted |= {**services.MUNGE_PROGRAMS, **slurm.PROGRAMS}
    lacking = {name: package for name, package in wanted.items() if services.program(name) is None}
    if lacking:
        packages = " ".join(sorted(set(lacking.values())))
        raise Refused(f"no {', '.join(lacking)} here: install {packages}"
                      + (", or try --no-slurm" if with_slurm else ""))


class RunningCluster(clusters.Cluster):
    """Up while this context lasts."""

    def __init__(self, count, build, with_slurm):
        refuse_if_impossible(with_slurm)
        self.with_slurm = with_slurm
        self.shared_folders = [CHECKOUT, build, pathlib.Path.cwd()]
        super().__init__(clusters.new_directory(), count, [str(build / "bin")])
        self.remover = subprocess.Popen(["sh", "-c", REMOVE_LATER, self.state],
                                        stdin=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        start_new_session=True)
        self.all_namespaces, self.services = [], []

    def __enter__(self):
        try:
            self.bring_up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for each in self.all_namespaces:
            each.end()
        self.remover.stdin.close()
        self.remover.wait()

    def bring_up(self):
        self.write_files()
        names = [network.SWITCH, *self.hosts]
        for name in names:
            self.all_namespaces.append(
                Namespaces(name, self.state, [self.state, *self.shared_folders]))
        for each in self.all_namespaces:
            each.wait_until_ready()
        self.pids = {each.name: each.pid for each in self.all_namespaces}
        network.connect(self.pids[network.SWITCH],
                        {self.number_of(host): self.pids[host] for host in self.hosts})
        self.start_services()
        self.save()

    def write_files(self):
        for name in ("etc", network.SWITCH, *self.hosts):
            (self.state / name).mkdir()
        numbers = [self.number_of(host) for host in self.hosts]
        (self.state / "etc/hosts").write_text(network.hosts_file(numbers))
        services.write_ssh_files(self)
        if self.with_slurm:
            services.write_munge_key(self)
            slurm.write_files(self)

    def start_services(self):
        sshds = [services.start_sshd(self, host) for host in self.hosts]
        if self.with_slurm:
            munges = [services.start_munged(self, host) for host in self.hosts]
            services.wait_until_ready(munges)
            self.services += munges + slurm.start(self)
        self.services += sshds
        services.wait_until_ready(self.services)
