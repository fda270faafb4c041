"""Commands in a host: a client sends a command with its own standard streams through the host's
socket, a file that all hosts see, and after it signals; the host answers with the status."""

import json
import os
import select
import socket

from host_namespaces import Failed

MAX_PACKET = 1 << 20
# They name folders and sockets that a host does not have.
LEFT_OUT = ("TMPDIR", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS")


def socket_path(state, host):
    return f"{state}/{host}.socket"


class Command:
    def __init__(self, cluster, host, words, streams=(0, 1, 2)):
        """`words` is None for a crash of the host."""
        self.host = host
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self.connection.connect(socket_path(cluster.state, host))
        except (ConnectionRefusedError, FileNotFoundError):
            raise Failed(f"{host} has crashed, or its cluster has ended") from None
        request = json.dumps({"words": words, "folder": os.getcwd(),
                              "environment": environment_in(cluster)}).encode()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MAX_PACKET)
        try:
            socket.send_fds(self.connection, [request], streams)
        except OSError as error:
            raise Failed(f"{host} does not take the command, which has with its environment "
                         f"{len(request)} bytes: {error.strerror}") from None

    def send_signal(self, number):
        try:
            self.connection.send(str(int(number)).encode())
        except OSError:
            pass  # it has ended

    def has_ended(self):
        return bool(select.select([self.connection], [], [], 0)[0])

    def wait(self):
        """The status of a shell: 128 and the signal's number if a signal ended the command."""
        try:
            text = self.connection.recv(MAX_PACKET)
        except ConnectionError:
            text = b""
        self.connection.close()
        if not text:
            raise Failed(f"{self.host} ended, and the command with it")
        result = json.loads(text)
        if result["error"]:
            raise Failed(f"{self.host}: {result['error']}", result["status"])
        return result["status"] if result["status"] >= 0 else 128 - result["status"]


def environment_in(cluster):
    environment = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    path = environment.get("PATH", os.defpath).split(":")
    added = [folder for folder in cluster.path if folder not in path]
    return {**environment, **cluster.environment, "PATH": ":".join(added + path)}


def start(cluster, host, words, log):
    """Without input; its output goes to this file."""
    with open(os.devnull, "rb") as nothing, open(log, "ab") as output:
        return Command(cluster, host, words, (nothing.fileno(), output.fileno(), output.fileno()))


def output_of(cluster, host, words):
    """Runs to the end: its status and its output, which a pipe must hold."""
    reading, writing = os.pipe()
    with open(os.devnull, "rb") as nothing, open(reading, "rb") as output:
        with open(writing, "wb") as end:
            command = Command(cluster, host, words, (nothing.fileno(), end.fileno(), end.fileno()))
        status = command.wait()
        return status, output.read().decode(errors="replace").strip()
