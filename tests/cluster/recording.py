"""What an observer at the bridge sees: a recording, and the streams of TCP in it."""

import base64
import collections
import os
import pathlib
import struct
import sys

import commands
import network

ETHERNET, ETHERNET_IPV4, ETHERNET_IPV6 = 14, 0x0800, 0x86DD
TCP, SYN = 6, 2
IPV6_HEADER = 40
SEQUENCE_NUMBERS = 1 << 32
Segment = collections.namedtuple("Segment", "ends number is_first data")


class Recorder:
    """Runs in the switch while this context lasts; then `file` and `frames` have what it has
    recorded."""

    def __init__(self, cluster, most_bytes=1 << 30):
        self.cluster, self.most_bytes = cluster, most_bytes
        self.file = pathlib.Path(cluster.state, "recording")  # as long as the cluster

    def __enter__(self):
        its_input, self.input = os.pipe()
        reading, its_output = os.pipe()
        program = pathlib.Path(__file__).with_name("recorder.py")
        self.command = commands.Command(
            self.cluster, network.SWITCH,
            [sys.executable, "-S", "-B", str(program), str(self.file), str(self.most_bytes)],
            (its_input, its_output, its_output))
        os.close(its_input)
        os.close(its_output)
        self.output = open(reading, encoding="utf-8")
        if (said := self.output.readline()) != "ready\n":
            raise RuntimeError(f"the recorder does not start: {said}{self.output.read()}")
        return self

    def __exit__(self, *_):
        os.close(self.input)
        status, said = self.command.wait(), self.output.read()
        self.output.close()
        whole = self.file.read_bytes()
        if status != 0:
            raise RuntimeError(f"the recorder: {said}")
        self.frames = list(split(whole))

    def sees(self, text):
        """In a frame, or over the frames of a stream."""
        return (any(text in frame for frame in self.frames)
                or any(text in stream for stream in self.streams().values()))

    def streams(self):
        """The bytes of each connection in one direction, by its ends: the address and the port of
        the sender, then of the receiver. Without its first segment it is not whole, and left out;
        it ends where a segment is missing."""
        segments, firsts = collections.defaultdict(dict), {}
        for one in filter(None, map(segment_of, self.frames)):
            if one.is_first:
                firsts[one.ends] = (one.number + 1) % SEQUENCE_NUMBERS
            elif len(one.data) > len(segments[one.ends].get(one.number, b"")):
                segments[one.ends][one.number] = one.data
        return {ends: joined(segments[ends], first) for ends, first in firsts.items()}


def split(whole):
    at = 0
    while at < len(whole):
        size, = struct.unpack_from("<I", whole, at)
        yield whole[at + 4:at + 4 + size]
        at += 4 + size


def segment_of(frame):
    """The part of TCP in a frame, or nothing. Frames are padded: their IP header says the size."""
    kind, = struct.unpack_from(">H", frame, ETHERNET - 2)
    packet = frame[ETHERNET:]
    if kind == ETHERNET_IPV4 and packet[9] == TCP:
        size, = struct.unpack_from(">H", packet, 2)
        source, target = packet[12:16], packet[16:20]
        segment = packet[(packet[0] & 15) * 4:size]
    elif kind == ETHERNET_IPV6 and packet[6] == TCP:
        size, = struct.unpack_from(">H", packet, 4)
        source, target = packet[8:24], packet[24:40]
        segment = packet[IPV6_HEADER:IPV6_HEADER + size]
    else:
        return None
    source_port, target_port, number = struct.unpack_from(">HHI", segment)
    return Segment((source, source_port, target, target_port), number, bool(segment[13] & SYN),
                   segment[(segment[12] >> 4) * 4:])


def joined(segments, first):
    """Segments by their number, which may overlap."""
    whole = bytearray()
    for number in sorted(segments, key=lambda number: (number - first) % SEQUENCE_NUMBERS):
        at, data = (number - first) % SEQUENCE_NUMBERS, segments[number]
        if at > len(whole):
            break
        whole += data[len(whole) - at:]
    return bytes(whole)


def forms_of(secret):
    """The secret as it is, in hexadecimal digits and in base64, at each place that it can have
    there among other bytes."""
    digits = secret.hex().encode()
    # Three bytes are four characters; those of a group that others share depend on the others.
    groups = [base64.b64encode(secret[skipped:][:len(secret[skipped:]) // 3 * 3])
              for skipped in range(3)]
    return [secret, digits, digits.upper(), *groups]
