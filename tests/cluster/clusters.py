"""The clusters of this machine: each has a directory of its own, with what a command in its hosts
needs, as long as the process runs that has brought it up."""

import json
import os
import pathlib
import shutil

from host_namespaces import Failed

FOLDER = pathlib.Path("/run")
PREFIX = "am-cluster-"
VARIABLE = "LIBAM_TEST_CLUSTER"  # in the environment of all that runs in a host: its cluster
# Open MPI refuses to be started by root, and each of its daemons does.
FOR_ALL = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Cluster:
    """`path` are the folders before those of PATH; `environment` is what all that runs in the
    hosts has besides."""

    def __init__(self, state, count, path):
        self.state = pathlib.Path(state)
        self.hosts = [f"h{number}" for number in range(1, count + 1)]
        self.path = path
        self.environment = {VARIABLE: self.state.name, "SLURM_CONF": f"{state}/slurm.conf",
                            **FOR_ALL}

    def save(self):
        whole = {"count": len(self.hosts), "path": self.path}
        (self.state / "cluster.json").write_text(json.dumps(whole))

    def number_of(self, word):
        """Of the host that this word names: 3 or h3."""
        name = "h" + word.removeprefix("h")
        if name not in self.hosts:
            raise Failed(f"there is no host {word}: it has {self.hosts[0]} to {self.hosts[-1]}", 2)
        return int(name[1:])


def load(state):
    try:
        whole = json.loads((state / "cluster.json").read_text())
    except FileNotFoundError:
        raise Failed(f"there is no cluster {state.name}") from None
    return Cluster(state, whole["count"], whole["path"])


def all_names():
    return sorted(path.parent.name for path in FOLDER.glob(f"{PREFIX}*/cluster.json"))


def find(name):
    """That of this name, or of the environment."""
    name = name or os.environ.get(VARIABLE)
    if name is None:
        raise Failed("which cluster? choose with --cluster one that cluster list prints", 2)
    return load(FOLDER / (PREFIX + name.removeprefix(PREFIX)))


def new_directory():
    """Named by this process. Those of processes that have ended are removed: one that was killed
    together with all that it had started could not do so. In a host that of its own cluster is
    a mount, and its process is not seen."""
    for path in FOLDER.glob(PREFIX + "*"):
        pid = path.name.removeprefix(PREFIX)
        ended = pid == str(os.getpid()) or not os.path.exists(f"/proc/{pid}")
        if ended and not os.path.ismount(path):
            shutil.rmtree(path, ignore_errors=True)
    state = FOLDER / f"{PREFIX}{os.getpid()}"
    state.mkdir(mode=0o700)
    return state
