#!/usr/bin/env python3
"""A stranger on the network of a job: runs in a host that is not one of the job's, and knows what
it finds and what an observer has recorded.

usage: stranger.py scan FIRST LAST ADDRESS...
           prints which of these ports are open, a line of JSON: [[address, port], ...]
       stranger.py attack COUNT
           takes a line of JSON from its input, with `places`, as scan prints them, and `streams`,
           the recorded bytes of connections in hexadecimal digits; makes so many connections;
           prints how many of them have been made, and how many of these had to be refused and were
       stranger.py replay FILE
           in the switch: sends the frames of a recording once more; prints how many
"""

import collections
import contextlib
import errno
import itertools
import json
import os
import pathlib
import selectors
import socket
import struct
import sys

import network
import recording

SCANNED_AT_ONCE = 500
OPEN_AT_ONCE = 1000  # more than six ranks keep
MOST_IDLE = 900
MOST_FRAME = 1514
SSH = 22
RESET = struct.pack("ii", 1, 0)
HELLO = b"am-tcp 1"
LARGEST = b"\xff\xff\xff\xff"


def start(place):
    """A socket that is connecting."""
    family = socket.AF_INET6 if ":" in place[0] else socket.AF_INET
    one = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    error = one.connect_ex(tuple(place))
    if error not in (0, errno.EINPROGRESS, errno.ECONNREFUSED):
        raise OSError(error, os.strerror(error))
    return one


def scan(first, last, *addresses):
    """As a port scan does: no bytes are sent."""
    waiting = ((address, port) for address in addresses
               for port in range(int(first), int(last) + 1))
    found = []
    with selectors.EpollSelector() as sockets:
        for place in itertools.islice(waiting, SCANNED_AT_ONCE):
            sockets.register(start(place), selectors.EVENT_WRITE, place)
        while sockets.get_map():
            for key, _ in sockets.select():
                if key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                    found.append(key.data)
                sockets.unregister(key.fileobj)
                key.fileobj.close()
                for place in itertools.islice(waiting, 1):
                    sockets.register(start(place), selectors.EVENT_WRITE, place)
    return [place for place in found if place[1] != SSH]


# ---- attacks -------------------------------------------------------------------------------------

# What is sent at once, what is sent byte by byte, and whether a rank has to refuse that.
Attack = collections.namedtuple("Attack", "at_once slowly is_refused resets", defaults=(False,))


def attacks_with(streams):
    """In turn, for ever. One without a byte, or with part of a hello, is as a rank that is slow."""
    hellos = [stream[:48] for stream in streams]
    for number in itertools.count():
        stream, hello = streams[number % len(streams)], hellos[number % len(streams)]
        yield Attack(os.urandom(4000), b"", True)
        yield Attack(b"", b"", False)
        yield Attack(b"", b"", False, True)
        yield Attack(stream, b"", True)
        yield Attack(HELLO + LARGEST * 2 + os.urandom(32), b"", True)
        yield Attack(HELLO + LARGEST * 1000, b"", True)
        yield Attack(hello + os.urandom(32), b"", True)
        yield Attack(hello[:8 + number % 40], b"", False)
        yield Attack(b"", hello, False)
        yield Attack(LARGEST * 4, stream, True)


class Connection:
    def __init__(self, place, attack):
        self.attack = attack
        self.left = attack.slowly
        self.socket = start(place)
        self.is_connected = False

    def connected(self):
        """False: nothing listens there any more."""
        if self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0:
            return False
        self.is_connected = True
        self.send(self.attack.at_once)
        if self.attack.resets:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        return True

    def send(self, text):
        with contextlib.suppress(OSError):  # the rank has closed it
            self.socket.send(text)

    def send_slowly(self):
        self.send(self.left[:1])
        self.left = self.left[1:]

    def has_ended(self):
        """The rank has closed it."""
        try:
            return self.socket.recv(4096) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True


class Attacker:
    def __init__(self, count, places, streams):
        self.left = count
        self.places = itertools.cycle(places)
        self.attacks = attacks_with(streams)
        self.sockets = selectors.EpollSelector()
        self.open = collections.deque()  # the oldest first
        self.made = self.refused = 0

    def run(self):
        while self.left > 0 or self.open:
            while self.left > 0 and len(self.open) < OPEN_AT_ONCE:
                self.add()
            for key, _ in self.sockets.select(0.01):
                self.handle(key.data)
            for one in self.open:
                if one.is_connected and one.left:
                    one.send_slowly()
            self.close_idle()
        return {"made": self.made, "refused": self.refused}

    def add(self):
        self.left -= 1
        one = Connection(next(self.places), next(self.attacks))
        self.open.append(one)
        self.sockets.register(one.socket, selectors.EVENT_WRITE, one)

    def handle(self, one):
        if not one.is_connected:
            if not one.connected():
                return self.close(one)
            self.made += 1
            if one.attack.resets:
                return self.close(one)
            self.sockets.modify(one.socket, selectors.EVENT_READ, one)
        elif one.has_ended():
            self.refused += one.attack.is_refused
            self.close(one)
        return None

    def close_idle(self):
        """Of those that may stay, the oldest make room for others, or are left when all is done."""
        most = MOST_IDLE if self.left > 0 else 0
        idle = [one for one in self.open if one.is_connected and not one.attack.is_refused]
        for one in idle[:max(len(idle) - most, 0)]:
            self.close(one)

    def close(self, one):
        self.sockets.unregister(one.socket)
        self.open.remove(one)
        one.socket.close()


def attack(count):
    known = json.loads(sys.stdin.readline())
    return Attacker(int(count), known["places"], list(map(bytes.fromhex, known["streams"]))).run()


def replay(file):
    """With the addresses, ports and sequence numbers of their senders. Frames that the kernel has
    joined for itself cannot be sent."""
    sent = 0
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as bridge:
        bridge.bind((network.SWITCH, 0))
        for frame in recording.split(pathlib.Path(file).read_bytes()):
            if len(frame) <= MOST_FRAME:
                bridge.send(frame)
                sent += 1
    return sent


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    print(json.dumps({"scan": scan, "attack": attack, "replay": replay}[what](*words)))
