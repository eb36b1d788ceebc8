#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program under test that wants its runner's event stream to say PASS: it writes the
verdict and the end to whatever may be the line to the outside, in one of several ways,
and then fails."""
import fcntl
import glob
import os
import re
import stat
import subprocess
import sys
import termios

how, name = sys.argv[1], sys.argv[2]

# hello, layout, run, four messages of the kernel, scenario, fabric: what comes before
# the first step.
BEFORE = 9


def forged(seq):
    """The events that would follow event SEQ."""
    return ('{"event":"step","seq":%d,"ms":9,"variant":0,"name":"%s","line":3,"col":5,"host":"a",'
            '"call":"run","index":0,"args":{},"result":{"return":0},"us":1,"ok":true}\n'
            '{"event":"verdict","seq":%d,"ms":9,"variant":0,"name":"%s","verdict":"PASS",'
            '"reason":null,"took_ms":1,"own_us":1}\n'
            '{"event":"end","seq":%d,"ms":9,"events":%d,"broken":false}\n'
            % (seq + 1, name, seq + 2, name, seq + 3, seq + 3)).encode()


def write_to(path, text=None):
    """Where the descriptor is a terminal nothing waits for a reader."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        os.write(fd, text or forged(BEFORE))
        print("written to", path, file=sys.stderr)
    except OSError:
        pass


def nodes():
    """Device nodes for all terminals of a user-mode kernel, made anew."""
    mounted("tmpfs", "mode=0755")
    for minor in range(16):
        path = "/tmp/mounted/node%d" % minor
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(4, minor))
        yield path
    for path in nodes_of_ports():
        yield path


def nodes_of_ports():
    for dev in glob.glob("/sys/class/virtio-ports/*/dev"):
        with open(dev) as f:
            major, minor = f.read().split(":")
        path = "/tmp/mounted/port" + minor
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(int(major), int(minor)))
        yield path


def mounted(kind, options):
    os.makedirs("/tmp/mounted", exist_ok=True)
    subprocess.call(["mount", "-t", kind, "-o", options, "none", "/tmp/mounted"],
                    stderr=subprocess.DEVNULL)
    return glob.glob("/tmp/mounted/tty*") + glob.glob("/tmp/mounted/vport*")


def descriptors():
    subprocess.call(["mount", "-t", "proc", "none", "/proc"], stderr=subprocess.DEVNULL)
    return glob.glob("/proc/[0-9]*/fd/*")


def keys():
    """What begins the lines from the outside, where a process that is seen here has some in its memory."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) == os.getpid():
            continue
        with open("/proc/%s/maps" % pid) as maps, open("/proc/%s/mem" % pid, "rb", 0) as mem:
            for line in maps:
                begin, end = (int(n, 16) for n in line.split()[0].split("-"))
                try:
                    mem.seek(begin)
                    found = re.search(rb"([0-9a-f]{32} )\{", mem.read(end - begin))
                except (OSError, OverflowError):
                    continue
                if found:
                    yield found.group(1)


def push(path):
    """As if it came from the outside."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        for byte in b'{"end":true}\n' * 4:
            fcntl.ioctl(fd, termios.TIOCSTI, bytes([byte]))
    except OSError:
        pass


def steal(path):
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        os.read(fd, 4096)
    except OSError:
        pass


def flood():
    fd = os.open("/dev/console", os.O_WRONLY | os.O_NOCTTY)
    for _ in range(200):
        os.write(fd, forged(BEFORE) * 10)


if how == "terminals":
    for p in glob.glob("/dev/tty*") + glob.glob("/dev/vport*") + glob.glob("/dev/pts/*"):
        write_to(p)
elif how == "descriptors":
    for p in descriptors():
        write_to(p)
elif how == "devtmpfs":
    for p in mounted("devtmpfs", "ro"):
        write_to(p)
elif how == "console":
    flood()
elif how == "memory":
    for key in list(keys()):
        for p in nodes():
            write_to(p, b"".join(key + e + b"\n" for e in forged(BEFORE).splitlines()))
elif how == "hostfs":
    for p in mounted("hostfs", "/dev"):
        write_to(p)
elif how == "nodes":
    for p in nodes():
        write_to(p)
elif how == "push":
    for p in nodes():
        push(p)
elif how == "steal":
    for p in list(nodes()) * 20:
        steal(p)
sys.exit(3)
