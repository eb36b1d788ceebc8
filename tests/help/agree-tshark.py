#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""agree-tshark.py VERBATIM CAPTURE: whether tshark reads each RDMA packet as verbatim decode does.

Compares each field that both know, packet by packet, and prints how many packets and values agree, or
each difference. tshark does not check the invariant CRC, and tshark 4.0 does not know FLUSH, so of FLUSH
only the base transport header is compared. NAMES has the numbers of the names that verbatim decode prints; a
value whose name it lacks differs.
tshark 4.0 reads the flow label and the rate of a path from other bits than the kernel, and IBTA's table 106 is
what the kernel has, so these four values are left out.
"""
import json
import subprocess
import sys

IB = "infiniband."
BTH = {"solicited": "bth.se", "migrated": "bth.m", "pad": "bth.padcnt", "bth_version": "bth.tver", "pkey": "bth.p_key",
       "qp": "bth.destqp", "ack_req": "bth.a", "resv7": "bth.reserved7", "psn": "bth.psn"}
REQ = {"local_comm_id": "", "service_id": "serviceid", "ca_guid": "localcaguid", "cm_qkey": "localqkey", "local_qp": "localqpn",
       "responder_resources": "responderres", "local_eec": "localeecn", "initiator_depth": "initdepth",
       "remote_eec": "remoteeecn", "remote_cm_timeout": "remoteresptout", "transport": "transpsvctype",
       "flow_control": "e2eflowctrl", "starting_psn": "startpsn", "local_cm_timeout": "localresptout",
       "retry_count": "retrcount", "cm_pkey": "pkey", "rdc_exists": "rdcexist",
       "rnr_retry_count": "rnrretrcount", "max_cm_retries": "maxcmretr", "srq": "srq", "extended_transport": "ext_transport",
       "primary_local_lid": "prim_locallid", "primary_remote_lid": "prim_remotelid",
       "primary_traffic_class": "prim_tfcclass", "primary_hop_limit": "prim_hoplim",
       "primary_sl": "prim_sl", "primary_subnet_local": "prim_subnetlocal", "primary_ack_timeout": "prim_localacktout",
       "alternate_local_lid": "alt_locallid", "alternate_remote_lid": "alt_remotelid",
       "alternate_traffic_class": "alt_tfcclass", "alternate_hop_limit": "alt_hoplim", "alternate_sl": "alt_sl",
       "alternate_subnet_local": "alt_subnetlocal", "alternate_ack_timeout": "alt_localacktout"}
REP = {"local_comm_id": "", "remote_comm_id": "remotecommid", "cm_qkey": "localqkey", "local_qp": "localqpn", "local_eec": "localeecn",
       "starting_psn": "startpsn", "responder_resources": "respres", "initiator_depth": "initdepth",
       "ack_delay": "tgtackdelay", "failover_accepted": "failoveracc", "flow_control": "e2eflowctrl",
       "rnr_retry_count": "rnrretrcount", "srq": "srq", "ca_guid": "localcaguid"}
REJ = {"local_comm_id": "localcommid", "remote_comm_id": "remotecommid", "answered": "msgrej", "info_length": "rejinfolen",
       "reason": "reason", "info": "ari"}
IDS = {"local_comm_id": "localcommid", "remote_comm_id": "remotecommid"}


def under(prefix, names):
    return {ours: IB + (prefix + "." + theirs if theirs else prefix) for ours, theirs in names.items()}


HEADERS = {
    "bth": {ours: IB + theirs for ours, theirs in BTH.items()},
    "deth": under("deth", {"qkey": "q_key", "src_qp": "srcqp"}),
    "reth": under("reth", {"remote_addr": "va", "rkey": "r_key", "dma_length": "dmalen"}),
    "aeth": under("aeth", {"syndrome": "syndrome", "kind": "syndrome.opcode", "credits": "syndrome.credit_count",
                           "rnr_timer": "syndrome.timer", "nak_code": "syndrome.error_code", "msn": "msn"}),
    "atomicacketh": under("atomicacketh", {"original": "origremdt"}),
    "immdt": {"imm": IB + "immdt"},
    "ieth": {"invalidate_rkey": IB + "ieth"},
    "mad": under("mad", {"mad_version": "baseversion", "class": "mgmtclass", "class_version": "classversion",
                         "method": "method", "mad_status": "status",
                         "class_specific": "classspecific", "tid": "transactionid", "attribute": "attributeid",
                         "modifier": "attributemodifier"}),
    "REQ": under("cm.req", REQ), "REP": under("cm.rep", REP), "REJ": under("cm.rej", REJ),
    "RTU": under("cm.rtu", IDS), "DREQ": under("cm.dreq", IDS), "DREP": under("cm.drsp", IDS),
    "rdma_cm": under("cm.req.ip_cm", {"cma_port": "sport"}),
}
# The addend of FETCH_ADD is where COMPARE_SWAP has its new value.
SWAP = {"swap": IB + "atomiceth.swapdt", "compare_add": IB + "atomiceth.cmpdt"}
ADD = {"compare_add": IB + "atomiceth.swapdt"}
FRAME = {"number": "frame.number", "opcode": IB + "bth.opcode", "payload": IB + "payload"}
NEWER = ("RC_FLUSH",)
NAMES = {
    "aeth.kind": {"ACK": 0, "RNR_NAK": 1, "NAK": 3},
    "aeth.nak_code": {"PSN_SEQUENCE_ERROR": 0, "INVALID_REQUEST": 1, "REMOTE_ACCESS_ERROR": 2,
                      "REMOTE_OPERATIONAL_ERROR": 3, "INVALID_RD_REQUEST": 4},
    "aeth.rnr_timer": dict(zip((
        "655.36ms 0.01ms 0.02ms 0.03ms 0.04ms 0.06ms 0.08ms 0.12ms 0.16ms 0.24ms 0.32ms 0.48ms 0.64ms 0.96ms 1.28ms 1.92ms "
        "2.56ms 3.84ms 5.12ms 7.68ms 10.24ms 15.36ms 20.48ms 30.72ms 40.96ms 61.44ms 81.92ms 122.88ms 163.84ms 245.76ms "
        "327.68ms 491.52ms").split(), range(32))),
    "mad.class": {"CM": 7},
    "mad.method": {"SEND": 3},
    "REQ.transport": {"RC": 0, "UC": 1, "RD": 2, "EXTENDED": 3},
    "REJ.answered": {"REQ": 0, "REP": 1, "OTHER": 2},
    "REJ.reason": dict(zip((
        "NO_QP", "NO_EEC", "NO_RESOURCES", "TIMEOUT", "UNSUPPORTED", "INVALID_COMM_ID", "INVALID_COMM_INSTANCE",
        "INVALID_SERVICE_ID", "INVALID_TRANSPORT_TYPE", "STALE_CONN", "RDC_NOT_EXIST", "INVALID_GID", "INVALID_LID",
        "INVALID_SL", "INVALID_TRAFFIC_CLASS", "INVALID_HOP_LIMIT", "INVALID_PACKET_RATE", "INVALID_ALT_GID",
        "INVALID_ALT_LID", "INVALID_ALT_SL", "INVALID_ALT_TRAFFIC_CLASS", "INVALID_ALT_HOP_LIMIT",
        "INVALID_ALT_PACKET_RATE", "PORT_CM_REDIRECT", "PORT_REDIRECT", "INVALID_MTU", "INSUFFICIENT_RESP_RESOURCES",
        "CONSUMER_DEFINED", "INVALID_RNR_RETRY", "DUPLICATE_LOCAL_COMM_ID", "INVALID_CLASS_VERSION",
        "INVALID_FLOW_LABEL", "INVALID_ALT_FLOW_LABEL"), range(1, 34))),
}


def number(value):
    """A value of either side as a number; None: not one."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    try:
        return int(value, 0)
    except ValueError:
        return None


def same(ours, theirs):
    if number(ours) is not None and number(theirs) is not None and number(ours) == number(theirs):
        return True
    theirs = theirs.replace(":", "")
    if isinstance(ours, int):   # tshark prints some numbers as bytes
        return int(theirs, 16) == ours
    return ours == theirs


def theirs_of(path, fields):
    out = subprocess.run(["tshark", "-n", "-r", path, "-T", "fields", "-E", "separator=/t", "-E", "occurrence=f"] +
                         [word for f in fields for word in ("-e", f)], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=True).stdout.decode()
    for line in out.splitlines():
        yield dict(zip(fields, line.split("\t")))


class Sums:
    """What was compared."""

    def __init__(self):
        self.agree = self.differ = 0
        self.unseen = {}

    def compare(self, packet, name, ours, theirs):
        if not theirs:
            self.unseen[name] = self.unseen.get(name, 0) + 1
        elif same(NAMES.get(name, {}).get(ours, ours), theirs):
            self.agree += 1
        else:
            self.differ += 1
            if self.differ <= 20:
                print("packet %d: %s is %s, tshark: %s" % (packet, name, ours, theirs))


def fields_of(name, header):
    if name == "atomiceth":
        return SWAP if "swap" in header else ADD
    return HEADERS.get(name, {})


def main():
    verbatim, path = sys.argv[1:3]
    fields = sorted(set(FRAME.values()) | set(SWAP.values()) | {f for h in HEADERS.values() for f in h.values()})
    out = subprocess.run([verbatim, "decode", "--format", "json", path], stdout=subprocess.PIPE, check=True).stdout
    theirs = {int(t["frame.number"]): t for t in theirs_of(path, fields)}
    sums, packets = Sums(), 0
    for packet in map(json.loads, out.splitlines()):
        packets += 1
        n, their = packet["number"], theirs[packet["number"]]
        known = packet["headers"]["bth"]["opcode"] not in NEWER
        sums.compare(n, "opcode", packet["opcode"], their[FRAME["opcode"]])
        if known and packet["payload"] and their[FRAME["payload"]]:
            sums.compare(n, "payload", packet["payload"], their[FRAME["payload"]])
        for name, header in packet["headers"].items():
            if not known and name != "bth":
                continue
            for field, key in fields_of(name, header).items():
                if field in header:
                    sums.compare(n, name + "." + field, header[field], their[key])
    for name, count in sorted(sums.unseen.items()):
        print("# tshark shows no %s in %d packets" % (name, count))
    print("%d packets, %d values agree, %d differ" % (packets, sums.agree, sums.differ))
    return packets == 0 or sums.differ > 0


sys.exit(main())
