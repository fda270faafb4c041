#!/usr/bin/env python3
"""Records every frame that comes to a port of the bridge, until its input ends or there are enough
bytes; runs in the namespaces of the switch. Before each frame the file has its size, 4 bytes.

usage: recorder.py FILE MOST-BYTES
"""

import select
import socket
import struct
import sys

ETH_P_ALL = 3
SOL_PACKET, PACKET_STATISTICS, PACKET_IGNORE_OUTGOING = 263, 6, 23
SO_RCVBUFFORCE = 33
BUFFER = 256 << 20
MOST_FRAME = 1 << 17
SIZE = struct.Struct("<I")


def open_socket():
    one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    one.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
    one.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)  # what leaves has come in before
    one.setblocking(False)
    return one


def record(packets, file, most):
    """When the input ends, what has arrived until then is recorded."""
    ended = False
    while most > 0:
        ready = select.select([packets] if ended else [packets, sys.stdin], [], [],
                              0 if ended else None)[0]
        if ended and not ready:
            return
        ended = ended or sys.stdin in ready
        if packets in ready:
            frame = packets.recv(MOST_FRAME)
            file.write(SIZE.pack(len(frame)) + frame)
            most -= len(frame)


def main():
    packets = open_socket()
    print("ready", flush=True)
    with open(sys.argv[1], "wb") as file:
        record(packets, file, int(sys.argv[2]))
    _, dropped = struct.unpack("II", packets.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
    if dropped != 0:
        sys.exit(f"{dropped} frames were not recorded")


if __name__ == "__main__":
    main()
