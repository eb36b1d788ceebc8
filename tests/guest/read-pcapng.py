#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a pcapng file has, for tests: read-pcapng.py FILE

Prints "interface NAME: DESCRIPTION: IN in, OUT out, LOST lost" for each interface,
then "in order" or "not in order". Ends with 1 where the file is not what the format
says. Shares nothing with what writes such files.
"""
import struct
import sys


def options(data):
    found = {}
    while data:
        code, length = struct.unpack_from("=HH", data)
        if code == 0:
            break
        found[code] = data[4:4 + length]
        data = data[4 + (length + 3) // 4 * 4:]
    return found


def blocks(data):
    while data:
        kind, length = struct.unpack_from("=II", data)
        last, = struct.unpack_from("=I", data, length - 4)
        if length % 4 or last != length:
            sys.exit("a block whose lengths differ: %d, %d" % (length, last))
        yield kind, data[8:length - 4]
        data = data[length:]


def main(path):
    interfaces, last, ordered, first = [], 0, True, True
    for kind, body in blocks(open(path, "rb").read()):
        if first and (kind != 0x0a0d0d0a or body[:4] != struct.pack("=I", 0x1a2b3c4d)):
            sys.exit("no section of this machine's byte order")
        first = False
        if kind == 1:
            o = options(body[8:])
            interfaces.append({"name": o[2].decode(), "text": o[3].decode(), 1: 0, 2: 0,
                               "lost": None})
            if o[9] != b"\x09":
                sys.exit("times are not nanoseconds")
        elif kind == 6:
            number, high, low, kept, length = struct.unpack_from("=IIIII", body)
            o = options(body[20 + (kept + 3) // 4 * 4:])
            interfaces[number][struct.unpack("=I", o[2])[0]] += 1
            time = high << 32 | low
            ordered = ordered and time >= last
            last = time
            if kept > length or length < 14:
                sys.exit("a packet of %d bytes with %d of them" % (length, kept))
        elif kind == 5:
            number, = struct.unpack_from("=I", body)
            interfaces[number]["lost"], = struct.unpack("=Q", options(body[12:])[5])
    for i in interfaces:
        print("interface %s: %s: %d in, %d out, %s lost" % (i["name"], i["text"], i[1], i[2],
                                                           i["lost"]))
    print("in order" if ordered else "not in order")


main(sys.argv[1])
