#!/usr/bin/env python3
"""The first process of a host: runs the commands that come through the host's socket. When it ends,
the kernel kills every process of the host.

usage: host.py NAME STATE-DIRECTORY SHARED-DIRECTORY...
"""

import json
import os
import pathlib
import selectors
import signal
import socket
import subprocess
import sys

import host_namespaces
from commands import MAX_PACKET, socket_path

class Host:
    def __init__(self, state, name):
        self.running = {}  # the process and the connection of each command, by pid
        self.selector = selectors.DefaultSelector()
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(socket_path(state, name))
        self.listener.listen(1000)
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)
        woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self.selector.register(woken, selectors.EVENT_READ, lambda: self.reap(woken))

    def serve(self):
        while True:
            for key, _ in self.selector.select():
                key.data()

    def accept(self):
        connection, _ = self.listener.accept()
        self.selector.register(connection, selectors.EVENT_READ, lambda: self.start(connection))

    def start(self, connection):
        """The first packet is a command, and comes with its standard streams."""
        self.selector.unregister(connection)
        text, streams, _, _ = socket.recv_fds(connection, MAX_PACKET, 3)
        if not text:
            return  # the client ended before
        request = json.loads(text)
        if request["words"] is None:
            crash()
        try:
            self.run(connection, request, streams)
        except OSError as error:
            answer(connection, 127, f"{request['words'][0]}: {error.strerror}")
        finally:
            for stream in streams:
                os.close(stream)

    def run(self, connection, request, streams):
        folder = request["folder"]
        process = subprocess.Popen(
            request["words"], env=request["environment"], start_new_session=True,
            cwd=folder if os.path.isdir(folder) else "/",
            stdin=streams[0], stdout=streams[1], stderr=streams[2])
        self.running[process.pid] = process, connection
        self.selector.register(connection, selectors.EVENT_READ,
                               lambda: self.hear(process, connection))

    def hear(self, process, connection):
        """A later packet is the number of a signal. The end of the client ends its command."""
        try:
            text = connection.recv(MAX_PACKET)
        except ConnectionError:
            text = b""
        if not text:
            self.selector.unregister(connection)
        try:
            os.killpg(process.pid, int(text or signal.SIGKILL))
        except ProcessLookupError:
            pass

    def reap(self, woken):
        os.read(woken, 4096)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self.running:  # not an orphan
                process, connection = self.running.pop(pid)
                process.returncode = os.waitstatus_to_exitcode(status)
                if connection in self.selector.get_map():
                    self.selector.unregister(connection)
                answer(connection, process.returncode)


def answer(connection, status, error=""):
    """The last packet: the status, negative if a signal ended the command."""
    try:
        connection.send(json.dumps({"status": status, "error": error}).encode())
    except OSError:
        pass  # the client has ended
    connection.close()


def crash():
    os.kill(-1, signal.SIGKILL)
    os._exit(1)


def main():
    name, state, *shared_folders = sys.argv[1:]
    state = pathlib.Path(state)
    try:
        host_namespaces.prepare(name, state, shared_folders)
        host = Host(state, name)
    except (host_namespaces.Failed, OSError) as error:
        print(error)
        sys.exit(1)
    os.chdir("/")
    print("ready", flush=True)
    log = os.open(state / name / "host.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    host.serve()


if __name__ == "__main__":
    main()
