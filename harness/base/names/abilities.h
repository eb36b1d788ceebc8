/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NAMES_ABILITIES_H
#define VBM_NAMES_ABILITIES_H

/*
 * The abilities in which RDMA devices differ, and with which scenarios say what they need:
 * "can=ud". The second column follows "the devices here have no". harness/hosts/fabric/abilities.c asks a
 * device for each.
 */
#define ABILITIES(X)                                                          \
	X(UD, "ud", "UD queue pairs")                                         \
	X(UC, "uc", "UC queue pairs")                                         \
	X(BY_HAND, "by_hand", "queue pairs that ibv_modify_qp(3) connects; only rdma_cm connects theirs") \
	X(ATOMICS, "atomics", "atomic operations")                            \
	X(IMMEDIATE, "immediate", "immediate data")                           \
	X(FLUSH, "flush", "operations FLUSH and ATOMIC_WRITE")                \
	X(WINDOWS, "windows", "memory windows")                               \
	X(ON_DEMAND, "on_demand", "memory regions with pages on demand")      \
	X(REREG, "rereg", "memory regions that can be changed")               \
	X(SRQ, "srq", "shared receive queues")                                \
	X(QUERY_SRQ, "query_srq", "shared receive queues that can be queried") \
	X(RESIZE_SRQ, "resize_srq", "shared receive queues that can be resized") \
	X(RESIZE_CQ, "resize_cq", "completion queues that can be resized")    \
	X(AH, "ah", "address handles")                                        \
	X(MULTICAST, "multicast", "multicast groups")                         \
	X(GIDS, "gids", "GIDs made of addresses")                             \
	X(PKEYS, "pkeys", "P_Keys")                                           \
	X(COUNTERS, "counters", "counters of the port")                       \
	X(DESCRIPTION, "description", "descriptions that can be changed")     \
	X(PARENT, "parent", "files in sysfs that name their interfaces")      \
	X(IB_CM, "ib_cm", "connections of InfiniBand's connection manager, with its retries, reasons and numbers") \
	X(ROCE, "roce", "packets of RoCE; those of iWARP are in a TCP stream, and watches and rules for packets cannot read it") \
	X(ACKS, "acks", "requests that complete with the peer's answer; theirs may complete before, or without it") \
	X(SEND_OPS, "send_ops", "queue pairs for ibv_wr_start(3)")            \
	X(INLINE, "inline", "queue pairs with 256 bytes of inline data")      \
	X(ENTRIES, "entries", "requests with 32 entries")

enum ability {
#define ABILITY(id, name, lacks) ABILITY_##id,
	ABILITIES(ABILITY)
#undef ABILITY
	ABILITY_COUNT
};

/* All names, separated by spaces. */
#define ABILITY_WORD(id, name, lacks) " " name
#define ABILITY_WORDS (&(ABILITIES(ABILITY_WORD))[1])

const char *ability_name(enum ability ability);

/* "UD queue pairs" for "ud"; NULL: there is no such ability. */
const char *ability_what(const char *name);

#endif
