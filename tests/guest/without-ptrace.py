# SPDX-License-Identifier: BSD-2-Clause
# without-ptrace.py COMMAND...: run it where ptrace(2) is denied, as containers do.
import ctypes
import os
import struct
import sys

SYS_PTRACE, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 101, 38, 22, 2
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, EPERM = 0x7fff0000, 0x00050001

rules = b"".join(struct.pack("HBBI", *rule) for rule in (
    (LOAD, 0, 0, 0),
    (JUMP_EQUAL, 0, 1, SYS_PTRACE),
    (RETURN, 0, 0, EPERM),
    (RETURN, 0, 0, ALLOW)))
kept = ctypes.create_string_buffer(rules)
program = struct.pack("HxxxxxxP", len(rules) // 8, ctypes.addressof(kept))
libc = ctypes.CDLL(None, use_errno=True)
if (libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        or libc.prctl(PR_SET_SECCOMP, FILTER, program, 0, 0)):
    sys.exit("cannot deny ptrace: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
