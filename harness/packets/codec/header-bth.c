/* SPDX-License-Identifier: BSD-2-Clause */
/* The transport headers of RDMA: IBTA vol 1, chapter 9.2, annexes A14 (invalidate), A17 (RoCE v2) and A19 (flush). */
#include "codec/header.h"

#include "names/consts.h"

static const struct header_field bth_fields[] = {
	{"opcode", 0, 8, SHOW_NAME, .names = &const_packet_opcode, .doc = "the operation, and the type of the queue pair"},
	{"solicited", 8, 1, SHOW_FLAG, LINE_UNUSUAL, .doc = "the receiver shall get an event"},
	{"migrated", 9, 1, SHOW_FLAG, .doc = "state of the path's migration"},
	{"pad", 10, 2, SHOW_NUMBER, LINE_UNUSUAL, .doc = "bytes that fill the payload up to a multiple of 4"},
	{"bth_version", 12, 4, SHOW_NUMBER, LINE_UNUSUAL, .doc = "0"},
	{"pkey", 16, 16, SHOW_HEX, LINE_UNUSUAL, .usual = 0xffff, .doc = "partition"},
	{"fecn", 32, 1, SHOW_FLAG, LINE_UNUSUAL, .doc = "the packet met congestion"},
	{"becn", 33, 1, SHOW_FLAG, LINE_UNUSUAL, .doc = "packets of the other direction met congestion"},
	{"resv6", 34, 6, SHOW_HEX, .doc = "0"},
	{"qp", 40, 24, SHOW_HEX, LINE_ALWAYS, .doc = "number of the receiver's queue pair"},
	{"ack_req", 64, 1, SHOW_FLAG, LINE_UNUSUAL, .doc = "the sender asks for an acknowledgement"},
	{"resv7", 65, 7, SHOW_HEX, .doc = "0"},
	{"psn", 72, 24, SHOW_NUMBER, LINE_ALWAYS, .doc = "packet number"},
	{NULL},
};
const struct header header_bth = {"bth", "base transport header", 12, bth_fields};

static const struct header_field deth_fields[] = {
	{"qkey", 0, 32, SHOW_HEX, LINE_ALWAYS, .doc = "Q_Key of a datagram"},
	{"deth_reserved", 32, 8, SHOW_HEX, .doc = "0"},
	{"src_qp", 40, 24, SHOW_HEX, LINE_ALWAYS, .doc = "number of the sender's queue pair"},
	{NULL},
};
const struct header header_deth = {"deth", "datagram header", 8, deth_fields};

static const struct header_field reth_fields[] = {
	{"remote_addr", 0, 64, SHOW_HEX, LINE_ALWAYS, .doc = "address in the receiver's memory"},
	{"rkey", 64, 32, SHOW_HEX, LINE_ALWAYS, .doc = "key of that memory"},
	{"dma_length", 96, 32, SHOW_NUMBER, LINE_ALWAYS, .doc = "bytes of the whole request"},
	{NULL},
};
const struct header header_reth = {"reth", "header of RDMA requests", 16, reth_fields};

static const struct header_field aeth_fields[] = {
	{"aeth_reserved", 0, 1, SHOW_FLAG, .doc = "0"},
	{"kind", 1, 2, SHOW_NAME, LINE_ALWAYS, &const_aeth_kind, .doc = "whether it acknowledges or refuses"},
	{"aeth_value", 3, 5, .doc = "its meaning depends on the kind"},
	{"syndrome", 0, 8, SHOW_HEX, .alias = true, .doc = "kind and value"},
	{"credits", 3, 5, SHOW_NUMBER, LINE_UNUSUAL, .usual = 31, .alias = true, .if_at = 1, .if_width = 2, .if_is = 0,
	 .doc = "code for how many more requests the sender may send; 31: no limit"},
	{"rnr_timer", 3, 5, SHOW_NAME, LINE_ALWAYS, &const_rnr_timer, .alias = true, .if_at = 1, .if_width = 2, .if_is = 1,
	 .doc = "how long the sender has to wait"},
	{"nak_code", 3, 5, SHOW_NAME, LINE_ALWAYS, &const_nak_code, .alias = true, .if_at = 1, .if_width = 2, .if_is = 3,
	 .doc = "why the request is refused"},
	{"msn", 8, 24, SHOW_NUMBER, LINE_ALWAYS, .doc = "number of the messages that are complete"},
	{NULL},
};
const struct header header_aeth = {"aeth", "header of acknowledgements", 4, aeth_fields};

static const struct header_field compare_swap_fields[] = {
	{"remote_addr", 0, 64, SHOW_HEX, LINE_ALWAYS, .doc = "address in the receiver's memory"},
	{"rkey", 64, 32, SHOW_HEX, LINE_ALWAYS, .doc = "key of that memory"},
	{"swap", 96, 64, SHOW_HEX, LINE_ALWAYS, .doc = "the new value"},
	{"compare_add", 160, 64, SHOW_HEX, LINE_ALWAYS, .doc = "the value that memory must have"},
	{NULL},
};
const struct header header_compare_swap = {"atomiceth", "header of COMPARE_SWAP", 28, compare_swap_fields};

/* FETCH_ADD has its addend where COMPARE_SWAP has the new value. */
static const struct header_field fetch_add_fields[] = {
	{"remote_addr", 0, 64, SHOW_HEX, LINE_ALWAYS, .doc = "address in the receiver's memory"},
	{"rkey", 64, 32, SHOW_HEX, LINE_ALWAYS, .doc = "key of that memory"},
	{"compare_add", 96, 64, SHOW_HEX, LINE_ALWAYS, .doc = "the value to add"},
	{"atomic_reserved", 160, 64, SHOW_HEX, .doc = "not used"},
	{NULL},
};
const struct header header_fetch_add = {"atomiceth", "header of FETCH_ADD", 28, fetch_add_fields};

static const struct header_field atomic_ack_fields[] = {
	{"original", 0, 64, SHOW_HEX, LINE_ALWAYS, .doc = "the value before the operation"},
	{NULL},
};
const struct header header_atomic_ack = {"atomicacketh", "result of an atomic operation", 8, atomic_ack_fields};

static const struct header_field immdt_fields[] = {
	{"imm", 0, 32, SHOW_HEX, LINE_ALWAYS, .doc = "immediate data"},
	{NULL},
};
const struct header header_immdt = {"immdt", "immediate data", 4, immdt_fields};

static const struct header_field ieth_fields[] = {
	{"invalidate_rkey", 0, 32, SHOW_HEX, LINE_ALWAYS, .doc = "key that the receiver shall make invalid"},
	{NULL},
};
const struct header header_ieth = {"ieth", "header of SEND with invalidate", 4, ieth_fields};

static const struct header_field feth_fields[] = {
	{"feth_reserved", 0, 26, SHOW_HEX, .doc = "0"},
	{"flush_level", 26, 2, SHOW_NAME, LINE_ALWAYS, &const_flush_level, .doc = "what is flushed"},
	{"flush_type", 28, 4, SHOW_NUMBER, LINE_ALWAYS, .usual = 1, .doc = "1 for global visibility, 2 for persistence"},
	{NULL},
};
const struct header header_feth = {"feth", "header of FLUSH", 4, feth_fields};

static const struct header_field cnp_fields[] = {
	{"cnp_reserved", 0, 128, SHOW_BYTES, .doc = "0"},
	{NULL},
};
const struct header header_cnp = {"cnp", "rest of a congestion notification", 16, cnp_fields};
