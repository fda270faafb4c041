"""The network of a cluster: each host has an interface eth0, whose other end portK is in a bridge
in the namespaces called switch. No command of this file runs in the machine's own network."""

import subprocess

import commands
from host_namespaces import Failed

SWITCH = "switch"
PROGRAMS = {"ip": "iproute2", "bridge": "iproute2", "nsenter": "util-linux",
            "unshare": "util-linux"}


def ipv4(host):
    return f"198.18.0.{host}"  # RFC 2544: for tests of networks


def ipv6(host):
    return f"fd00::{host}"


def hosts_file(hosts):
    lines = ["127.0.0.1 localhost", "::1 localhost ip6-localhost ip6-loopback"]
    lines += [f"{address(host)} h{host}" for host in hosts for address in (ipv4, ipv6)]
    return "\n".join(lines) + "\n"


def connect(switch, hosts):
    """Takes the pid of the switch, and that of each host by its number. `nodad`: an IPv6 address is
    of use at once."""
    lines = ["link set lo up", f"link add name {SWITCH} type bridge mcast_snooping 0",
             f"link set {SWITCH} up"]
    for host, pid in hosts.items():
        lines += [f"link add port{host} type veth peer name eth0 netns {pid}",
                  f"link set port{host} master {SWITCH} up"]
    finish(start_ip(switch, lines))
    started = [start_ip(pid, ["link set lo up", f"address add {ipv4(host)}/24 dev eth0",
                              f"address add {ipv6(host)}/64 dev eth0 nodad", "link set eth0 up"])
               for host, pid in hosts.items()]
    for each in started:
        finish(each)


def start_ip(pid, lines):
    process = subprocess.Popen(["nsenter", f"--net=/proc/{pid}/ns/net", "ip", "-batch", "-"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    process.stdin.write("\n".join(lines) + "\n")
    process.stdin.flush()
    return process


def finish(process):
    said, _ = process.communicate()
    if process.returncode != 0:
        raise Failed(f"the network cannot be made: {said.strip()}")


# ---- cuts ----------------------------------------------------------------------------------------

# One way, the bridge drops frames by its own rules. Without addresses that it has learned,
# it sends no frame to a port that takes no unknown ones, and takes none from a port that is locked.
ONE_WAY = {"in": "learning off flood off mcast_flood off bcast_flood off",
           "out": "learning off locked on"}
BOTH_WAYS = "learning on flood on mcast_flood on bcast_flood on"


def in_switch(cluster, line):
    return commands.output_of(cluster, SWITCH, line.split())


def cut(cluster, host):
    status, said = in_switch(cluster, f"ip link set port{host} down")
    if status != 0:
        raise Failed(f"h{host} cannot be cut: {said}")


def cut_one_way(cluster, host, way):
    """Returns why it is not possible here, or nothing. `in`: h3 receives nothing."""
    for line in (f"bridge link set dev port{host} {ONE_WAY[way]}",
                 f"ip link set port{host} type bridge_slave fdb_flush"):
        status, said = in_switch(cluster, line)
        if status != 0:
            in_switch(cluster, f"bridge link set dev port{host} {BOTH_WAYS}")
            return said
    return ""


def heal(cluster, host):
    in_switch(cluster, f"bridge link set dev port{host} locked off")  # old kernels do not know it
    for line in (f"bridge link set dev port{host} {BOTH_WAYS}", f"ip link set port{host} up"):
        status, said = in_switch(cluster, line)
        if status != 0:
            raise Failed(f"h{host} cannot be healed: {said}")


def link_of(cluster, host):
    """up, cut, "cut in", "cut out" or crashed."""
    status, said = in_switch(cluster, f"bridge -d link show dev port{host}")
    if status != 0 or not said:
        return "crashed"  # its end is gone, and so is this one
    if "UP" not in said.split("<", 1)[1].split(">")[0].split(","):
        return "cut"
    ways = [way for way, option in (("in", " flood off"), ("out", " locked on")) if option in said]
    return f"cut {' and '.join(ways)}" if ways else "up"
