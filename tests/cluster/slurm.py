"""A Slurm over the hosts: slurmctld in h1, slurmd in each."""

import commands
import network
import services

PROGRAMS = {"slurmctld": "slurm-wlm", "slurmd": "slurm-wlm", "srun": "slurm-wlm",
            "sinfo": "slurm-wlm"}
CONFIGURATION = """
ClusterName=am
SlurmctldHost=h1({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
StateSaveLocation={state}/h1/slurmctld
SlurmdSpoolDir={state}/%n/slurmd
SlurmctldPidFile={state}/h1/slurmctld.pid
SlurmdPidFile={state}/%n/slurmd.pid
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
NodeName=h[1-{count}] CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def write_files(cluster):
    path = cluster.state / "slurm.conf"
    path.write_text(CONFIGURATION.format(state=cluster.state, address=network.ipv4(1),
                                         count=len(cluster.hosts)))
    # Where PMIx keeps its files: in a folder of the host.
    (cluster.state / "mpi.conf").write_text("PMIxCliTmpDirBase=/tmp\n")
    for host in cluster.hosts:
        (cluster.state / host / "slurmd").mkdir()
    (cluster.state / "h1/slurmctld").mkdir()


def start(cluster):
    """Needs munged."""
    everywhere_idle = lambda: idle_nodes(cluster) == len(cluster.hosts)
    started = [services.Service(cluster, "h1", "slurmctld", ["-D"], everywhere_idle)]
    started += [services.Service(cluster, host, "slurmd", ["-D", "-N", host], lambda: True)
                for host in cluster.hosts]
    return started


def idle_nodes(cluster):
    _, said = commands.output_of(cluster, "h1", ["sinfo", "-h", "-N", "-t", "idle", "-o", "%N"])
    return len([line for line in said.splitlines() if line in cluster.hosts])
