#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
# A program of pyverbs that knows nothing of verbatim; see preload.test.
#
#   pyverbs-talk.py server ADDRESS
#   pyverbs-talk.py client ADDRESS
#   pyverbs-talk.py port ADDRESS NUMBER    whether the library takes that port
import sys

from pyverbs.cmid import CMID, AddrInfo
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QPCap, QPInitAttr

try:
    from pyverbs.cm_enums import RAI_PASSIVE, RDMA_PS_TCP
except ImportError:  # as rdma-core 65 calls them
    from pyverbs.librdmacm_enums import RAI_PASSIVE, rdma_port_space

    RDMA_PS_TCP = rdma_port_space.RDMA_PS_TCP

SERVICE = "7471"
SIZE = 64


def queue_pair():
    return QPInitAttr(cap=QPCap(max_send_wr=1, max_recv_wr=1))


def padded(text):
    return text.ljust(SIZE, "\0")


def finished(wc):
    if wc.status:
        sys.exit("pyverbs: a completion has status %d" % wc.status)
    return wc.byte_len


def server(address):
    info = AddrInfo(src=address, src_service=SERVICE, port_space=RDMA_PS_TCP,
                    flags=RAI_PASSIVE)
    listener = CMID(creator=info, qp_init_attr=queue_pair())
    listener.listen()
    peer = listener.get_request()
    memory = peer.reg_msgs(SIZE)
    peer.post_recv(memory)
    peer.accept()
    text = memory.read(finished(peer.get_recv_comp()), 0).decode().rstrip("\0")
    print("pyverbs: heard", text)
    memory.write(padded("hello, " + text), SIZE)
    peer.post_send(memory)
    finished(peer.get_send_comp())


def client(address):
    info = AddrInfo(dst=address, dst_service=SERVICE, port_space=RDMA_PS_TCP)
    peer = CMID(creator=info, qp_init_attr=queue_pair())
    question, answer = peer.reg_msgs(SIZE), peer.reg_msgs(SIZE)
    peer.post_recv(answer)
    peer.connect()
    question.write(padded("client"), SIZE)
    peer.post_send(question)
    finished(peer.get_send_comp())
    print("pyverbs: got", answer.read(finished(peer.get_recv_comp()), 0).decode().rstrip("\0"))
    peer.disconnect()


def port(address, number):
    try:
        AddrInfo(dst=address, dst_service=number, port_space=RDMA_PS_TCP)
    except PyverbsRDMAError:
        print("pyverbs: no port is", number)
    else:
        print("pyverbs: takes port", number)


{"server": server, "client": client, "port": port}[sys.argv[1]](*sys.argv[2:])
