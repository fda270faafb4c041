#!/usr/bin/env python3
"""What it costs to start a job, by its number of ranks: the time until all ranks have joined and
until the job has ended, and the memory and descriptors of am-run and of a rank.

usage: tests/run/startup.py BUILD [--ranks 2,16,128] [--hosts a,b] [--repeat 3]

With --hosts the ranks are distributed evenly; then the memory and descriptors are those of the
ranks of this host. Run it with nothing beside.

  tests/run/startup.py build/release
  tests/cluster/cluster run -n 8 --no-slurm -- tests/run/startup.py build/release \\
    --hosts h1,h2,h3,h4,h5,h6,h7,h8 --ranks 8,64,256,1024
"""

import argparse
import contextlib
import pathlib
import re
import statistics
import subprocess
import sys
import time

SIZES = "2,4,8,16,32,64,128,256,512,1024"


def hosts_option(hosts, ranks):
    each, more = divmod(ranks, len(hosts))
    slots = [each + (i < more) for i in range(len(hosts))]
    return ",".join(f"{host}:{count}" for host, count in zip(hosts, slots) if count)


def kib(pid, file, name):
    text = pathlib.Path(f"/proc/{pid}/{file}").read_text()
    return int(re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE).group(1))


def own_kib(pid):
    """Without the code that it shares with others, and with its part of the shared memory."""
    return sum(kib(pid, "smaps_rollup", name) for name in ("Pss_Anon", "Pss_Shmem"))


def descriptors(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))


def per_rank(pids, measure):
    """The median over those that are on this host."""
    values = []
    for pid in pids:
        with contextlib.suppress(OSError):
            values.append(measure(pid))
    return statistics.median(values)


def joined_pids(errors, ranks):
    pids = []
    while len(pids) < ranks:
        line = errors.readline()
        if not line.startswith("in "):  # "in PID"
            sys.exit(f"{ranks} ranks do not start: {line.strip()}")
        pids.append(int(line.split()[1]))
    return pids


def measure(build, ranks, hosts):
    where = ["--hosts", hosts_option(hosts, ranks)] if hosts else ["-n", str(ranks)]
    began = time.monotonic()
    job = subprocess.Popen([build / "bin/am-run", *where, build / "tests/am_run_member", "wait"],
                           stderr=subprocess.PIPE, text=True)
    pids = joined_pids(job.stderr, ranks)
    joined = time.monotonic()
    row = [joined - began, 0, kib(job.pid, "status", "VmHWM") / 1024, descriptors(job.pid),
           per_rank(pids, lambda pid: own_kib(pid) / 1024),
           per_rank(pids, descriptors)]
    ends = time.monotonic()
    job.terminate()
    job.stderr.read()
    job.wait()
    row[1] = time.monotonic() - ends
    return row


def line_through(rows, column):
    """Least squares: value = base + slope * ranks."""
    return statistics.linear_regression([row[0] for row in rows], [row[column] for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--ranks", default=SIZES)
    parser.add_argument("--hosts", default="")
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    hosts = [name for name in asked.hosts.split(",") if name]
    print("| ranks | joined, s | ended, s | am-run, MiB | its descriptors | a rank, MiB | its"
          " descriptors |\n|--:|--:|--:|--:|--:|--:|--:|")
    rows = []
    for ranks in map(int, asked.ranks.split(",")):
        runs = [measure(asked.build.resolve(), ranks, hosts) for _ in range(asked.repeat)]
        row = [statistics.median(column) for column in zip(*runs)]
        rows.append([ranks, *row])
        print(f"| {ranks} | {row[0]:.3f} | {row[1]:.3f} | {row[2]:.1f} | {row[3]:.0f} |"
              f" {row[4]:.2f} | {row[5]:.0f} |", flush=True)
    if len(rows) < 2:
        return
    for name, unit, column in (("joined", "ms", 1), ("am-run", "KiB", 3), ("a rank", "KiB", 5)):
        slope, base = line_through(rows, column)
        scale = 1000 if unit == "ms" else 1024
        print(f"{name}: {base * scale:.1f} {unit} + {slope * scale:.3f} {unit} a rank")


if __name__ == "__main__":
    main()
