/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of names/consts.h for the fields of packets: IBTA vol 1, chapters 9 and 12, annexes A14, A17 and A19. */
#include "names/consts.h"

#include <infiniband/opcode.h>

#define OPCODE(name) {#name, IBV_OPCODE_##name}
CONSTS(const_packet_opcode, "IBV_OPCODE_",
	OPCODE(RC_SEND_FIRST), OPCODE(RC_SEND_MIDDLE), OPCODE(RC_SEND_LAST),
	OPCODE(RC_SEND_LAST_WITH_IMMEDIATE), OPCODE(RC_SEND_ONLY), OPCODE(RC_SEND_ONLY_WITH_IMMEDIATE),
	OPCODE(RC_RDMA_WRITE_FIRST), OPCODE(RC_RDMA_WRITE_MIDDLE), OPCODE(RC_RDMA_WRITE_LAST),
	OPCODE(RC_RDMA_WRITE_LAST_WITH_IMMEDIATE), OPCODE(RC_RDMA_WRITE_ONLY),
	OPCODE(RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE), OPCODE(RC_RDMA_READ_REQUEST),
	OPCODE(RC_RDMA_READ_RESPONSE_FIRST), OPCODE(RC_RDMA_READ_RESPONSE_MIDDLE),
	OPCODE(RC_RDMA_READ_RESPONSE_LAST), OPCODE(RC_RDMA_READ_RESPONSE_ONLY), OPCODE(RC_ACKNOWLEDGE),
	OPCODE(RC_ATOMIC_ACKNOWLEDGE), OPCODE(RC_COMPARE_SWAP), OPCODE(RC_FETCH_ADD),
	{"RC_SEND_LAST_WITH_INVALIDATE", OPCODE_SEND_LAST_WITH_INVALIDATE},
	{"RC_SEND_ONLY_WITH_INVALIDATE", OPCODE_SEND_ONLY_WITH_INVALIDATE}, {"RC_FLUSH", OPCODE_FLUSH},
	{"RC_ATOMIC_WRITE", OPCODE_ATOMIC_WRITE}, OPCODE(UC_SEND_FIRST), OPCODE(UC_SEND_MIDDLE),
	OPCODE(UC_SEND_LAST), OPCODE(UC_SEND_LAST_WITH_IMMEDIATE), OPCODE(UC_SEND_ONLY),
	OPCODE(UC_SEND_ONLY_WITH_IMMEDIATE), OPCODE(UC_RDMA_WRITE_FIRST), OPCODE(UC_RDMA_WRITE_MIDDLE),
	OPCODE(UC_RDMA_WRITE_LAST), OPCODE(UC_RDMA_WRITE_LAST_WITH_IMMEDIATE), OPCODE(UC_RDMA_WRITE_ONLY),
	OPCODE(UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE), OPCODE(UD_SEND_ONLY), OPCODE(UD_SEND_ONLY_WITH_IMMEDIATE),
	{"CNP", OPCODE_CNP});

/* The kinds of an acknowledgement: chapter 9.7.5.2. */
CONSTS(const_aeth_kind, "", {"ACK", 0}, {"RNR_NAK", 1}, {"NAK", 3});

CONSTS(const_nak_code, "",
	{"PSN_SEQUENCE_ERROR", 0}, {"INVALID_REQUEST", 1}, {"REMOTE_ACCESS_ERROR", 2},
	{"REMOTE_OPERATIONAL_ERROR", 3}, {"INVALID_RD_REQUEST", 4});

/* Classes of management datagrams. */
CONSTS(const_mad_class, "",
	{"SUBN_LID", 1}, {"SUBN_ADM", 3}, {"PERF", 4}, {"BM", 5}, {"DEV_MGT", 6}, {"CM", 7}, {"SNMP", 8},
	{"SUBN_DIR", 0x81});

CONSTS(const_mad_method, "",
	{"GET", 1}, {"SET", 2}, {"SEND", 3}, {"TRAP", 5}, {"REPORT", 6}, {"TRAP_REPRESS", 7},
	{"GET_RESP", 0x81}, {"REPORT_RESP", 0x86});

/* Messages of the connection manager, by their attribute: chapter 12.6. */
CONSTS(const_cm_message, "",
	{"REQ", 0x10}, {"MRA", 0x11}, {"REJ", 0x12}, {"REP", 0x13}, {"RTU", 0x14}, {"DREQ", 0x15},
	{"DREP", 0x16}, {"SIDR_REQ", 0x17}, {"SIDR_REP", 0x18}, {"LAP", 0x19}, {"APR", 0x1a});

/* Why the connection manager rejects: chapter 12.6.7.2. */
CONSTS(const_cm_reason, "",
	{"NO_QP", 1}, {"NO_EEC", 2}, {"NO_RESOURCES", 3}, {"TIMEOUT", 4}, {"UNSUPPORTED", 5},
	{"INVALID_COMM_ID", 6}, {"INVALID_COMM_INSTANCE", 7}, {"INVALID_SERVICE_ID", 8},
	{"INVALID_TRANSPORT_TYPE", 9}, {"STALE_CONN", 10}, {"RDC_NOT_EXIST", 11}, {"INVALID_GID", 12},
	{"INVALID_LID", 13}, {"INVALID_SL", 14}, {"INVALID_TRAFFIC_CLASS", 15}, {"INVALID_HOP_LIMIT", 16},
	{"INVALID_PACKET_RATE", 17}, {"INVALID_ALT_GID", 18}, {"INVALID_ALT_LID", 19}, {"INVALID_ALT_SL", 20},
	{"INVALID_ALT_TRAFFIC_CLASS", 21}, {"INVALID_ALT_HOP_LIMIT", 22}, {"INVALID_ALT_PACKET_RATE", 23},
	{"PORT_CM_REDIRECT", 24}, {"PORT_REDIRECT", 25}, {"INVALID_MTU", 26},
	{"INSUFFICIENT_RESP_RESOURCES", 27}, {"CONSUMER_DEFINED", 28}, {"INVALID_RNR_RETRY", 29},
	{"DUPLICATE_LOCAL_COMM_ID", 30}, {"INVALID_CLASS_VERSION", 31}, {"INVALID_FLOW_LABEL", 32},
	{"INVALID_ALT_FLOW_LABEL", 33});

/* The message that an MRA or a REJ answers. */
CONSTS(const_cm_answered, "", {"REQ", 0}, {"REP", 1}, {"OTHER", 2});

/* Transport services that a REQ asks for. */
CONSTS(const_cm_transport, "", {"RC", 0}, {"UC", 1}, {"RD", 2}, {"EXTENDED", 3});

CONSTS(const_sidr_status, "",
	{"SUCCESS", 0}, {"UNSUPPORTED", 1}, {"REJECT", 2}, {"NO_QP", 3}, {"REDIRECT", 4},
	{"UNSUPPORTED_VERSION", 5});

/* Whether an alternate path was loaded: chapter 12.8. */
CONSTS(const_apr_status, "",
	{"SUCCESS", 0}, {"INVALID_COMM_ID", 1}, {"UNSUPPORTED", 2}, {"REJECT", 3}, {"REDIRECT", 4},
	{"IS_CURRENT", 5}, {"INVALID_QP", 6}, {"INVALID_LID", 7}, {"INVALID_GID", 8}, {"INVALID_FLOW_LABEL", 9},
	{"INVALID_TRAFFIC_CLASS", 10}, {"INVALID_HOP_LIMIT", 11}, {"INVALID_PACKET_RATE", 12},
	{"INVALID_SL", 13});

/* How long a sender waits for a receiver that is not ready: chapter 9.7.5.2.8. */
CONSTS(const_rnr_timer, "",
	{"655.36ms", 0}, {"0.01ms", 1}, {"0.02ms", 2}, {"0.03ms", 3}, {"0.04ms", 4}, {"0.06ms", 5},
	{"0.08ms", 6}, {"0.12ms", 7}, {"0.16ms", 8}, {"0.24ms", 9}, {"0.32ms", 10}, {"0.48ms", 11},
	{"0.64ms", 12}, {"0.96ms", 13}, {"1.28ms", 14}, {"1.92ms", 15}, {"2.56ms", 16}, {"3.84ms", 17},
	{"5.12ms", 18}, {"7.68ms", 19}, {"10.24ms", 20}, {"15.36ms", 21}, {"20.48ms", 22}, {"30.72ms", 23},
	{"40.96ms", 24}, {"61.44ms", 25}, {"81.92ms", 26}, {"122.88ms", 27}, {"163.84ms", 28}, {"245.76ms", 29},
	{"327.68ms", 30}, {"491.52ms", 31});
