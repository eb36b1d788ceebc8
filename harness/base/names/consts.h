/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NAMES_CONSTS_H
#define VBM_NAMES_CONSTS_H

/*
 * Runs in: any process, in the thread of the caller; no state of its own.
 * Owns:    the values that it returns belong to the caller.
 * Ends:    with the call.
 * Tests:   unit/test_consts, test_device_words; tests/cli/cable.test.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Named constants of RDMA, in sets: scenario files and reports use them instead of
 * numbers. Names are stored without the prefix of their set ("UD"); look-ups accept both
 * "UD" and "IBV_QPT_UD".
 */
struct const_entry {
	const char *name;
	int64_t value;
};

struct const_set {
	const char *name;	/* "qp_type" */
	const char *prefix;	/* "IBV_QPT_", or "" */
	bool flags;		/* the values are bits; written as a list */
	const struct const_entry *entry;
	size_t count;
};

/* The opcodes that <infiniband/opcode.h> of older releases lacks, without the transport. */
#define OPCODE_SEND_LAST_WITH_INVALIDATE 0x16
#define OPCODE_SEND_ONLY_WITH_INVALIDATE 0x17
#define OPCODE_FLUSH 0x1c
#define OPCODE_ATOMIC_WRITE 0x1d
#define OPCODE_CNP 0x81

extern const struct const_set const_return;	/* 0, -1 and every EAI_ code */
extern const struct const_set const_errno;	/* EINVAL ... , 0 is "OK" */
extern const struct const_set const_pointer;	/* NULL 0, POINTER 1 */
extern const struct const_set const_family;	/* AF_UNSPEC AF_INET AF_INET6 AF_IB */
extern const struct const_set const_qp_type;
extern const struct const_set const_qp_state;
extern const struct const_set const_qp_attr_mask;
extern const struct const_set const_port_space;
extern const struct const_set const_port_state;
extern const struct const_set const_link_layer;
extern const struct const_set const_mtu;
extern const struct const_set const_access;
extern const struct const_set const_rai_flags;
extern const struct const_set const_wr_opcode;
extern const struct const_set const_send_flags;
extern const struct const_set const_wc_status;
extern const struct const_set const_wc_opcode;
extern const struct const_set const_wc_flags;
extern const struct const_set const_cm_event;
extern const struct const_set const_cm_option;
extern const struct const_set const_join_flags;
extern const struct const_set const_async_event;
extern const struct const_set const_atomic_cap;
extern const struct const_set const_mw_type;
extern const struct const_set const_srq_attr_mask;
extern const struct const_set const_rereg;	/* flags of ibv_rereg_mr() */
extern const struct const_set const_rereg_error;
extern const struct const_set const_advice;	/* of ibv_advise_mr() */
extern const struct const_set const_advise_flag;
extern const struct const_set const_send_ops;
extern const struct const_set const_flush_type;
extern const struct const_set const_flush_level;
extern const struct const_set const_packet_opcode;
extern const struct const_set const_handshake_flag;

extern const struct const_set const_aeth_kind;	/* of acknowledgements */
extern const struct const_set const_nak_code;

/* Fields of packets that no step has, so these sets are not among const_sets. */
extern const struct const_set const_rnr_timer;
extern const struct const_set const_mad_class;
extern const struct const_set const_mad_method;
extern const struct const_set const_cm_message;
extern const struct const_set const_cm_reason;
extern const struct const_set const_cm_answered;
extern const struct const_set const_cm_transport;
extern const struct const_set const_sidr_status;
extern const struct const_set const_apr_status;

/* All sets, NULL-terminated, for listings and for coverage. */
extern const struct const_set *const const_sets[];

bool const_lookup(const struct const_set *set, const char *name, int64_t *value);

/* The name of @value, or NULL when the set has no name for it. */
const char *const_name(const struct const_set *set, int64_t value);

/* For people: "UD", "LOCAL_WRITE|REMOTE_READ", or the number. Caller frees. */
char *const_show(const struct const_set *set, int64_t value);

/* The name closest to a misspelt one, or NULL when no name is close. */
const char *const_suggest(const struct const_set *set, const char *name);

#endif
