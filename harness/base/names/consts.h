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

/*
 * Defines the set @var, "const_NAME", by the names after its prefix and their values: {"UD", IBV_QPT_UD}. FLAGS() is
 * for values that are bits, SAME() for an entry of a set without a prefix.
 */
#define CONSTS(var, prefix, ...) CONST_SET(var, prefix, false, __VA_ARGS__)
#define FLAGS(var, prefix, ...) CONST_SET(var, prefix, true, __VA_ARGS__)
#define SAME(name) {#name, name}
#define CONST_SET(var, prefix, flags, ...)                                    \
	static const struct const_entry var##_entries[] = {__VA_ARGS__};      \
	const struct const_set var = {                                        \
		&#var[sizeof("const_") - 1], prefix, flags, var##_entries,    \
		sizeof(var##_entries) / sizeof(var##_entries[0])}

/* The opcodes that <infiniband/opcode.h> of older releases lacks, without the transport. */
#define OPCODE_SEND_LAST_WITH_INVALIDATE 0x16
#define OPCODE_SEND_ONLY_WITH_INVALIDATE 0x17
#define OPCODE_FLUSH 0x1c
#define OPCODE_ATOMIC_WRITE 0x1d
#define OPCODE_CNP 0x81

extern const struct const_set
	const_return,	/* 0, -1 and every EAI_ code */
	const_errno,	/* EINVAL ... , 0 is "OK" */
	const_pointer,	/* NULL 0, POINTER 1 */
	const_rereg,	/* flags of ibv_rereg_mr() */
	const_advice,	/* of ibv_advise_mr() */
	const_aeth_kind,	/* of acknowledgements */
	const_family, const_qp_type, const_qp_state, const_qp_attr_mask, const_port_space, const_port_state,
	const_link_layer, const_mtu, const_access, const_rai_flags, const_wr_opcode, const_send_flags, const_wc_status,
	const_wc_opcode, const_wc_flags, const_cm_event, const_cm_option, const_join_flags, const_async_event,
	const_atomic_cap, const_mw_type, const_srq_attr_mask, const_rereg_error, const_advise_flag, const_send_ops,
	const_flush_type, const_flush_level, const_packet_opcode, const_handshake_flag, const_nak_code;

/* Fields of packets that no step has, so these sets are not among const_sets. */
extern const struct const_set const_rnr_timer, const_mad_class, const_mad_method, const_cm_message, const_cm_reason,
	const_cm_answered, const_cm_transport, const_sidr_status, const_apr_status;

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
