/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_MEMORY_H
#define VERBATIM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include <verbatim/api.h>
#include <verbatim/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Memory for requests, and how a peer learns of it. The calls, in their order:
 *
 *	vbm_register_memory()		once for all queue pairs of a domain
 *	vbm_pack_remote_memory()	into the private data of a connection, or a message
 *	vbm_unpack_remote_memory()	at the peer, for its reads, writes and atomics
 *	vbm_deregister_memory()		before the protection domain ends
 *
 * Every function here returns 0 or a positive errno value. NULL for a pointer that is
 * needed is EINVAL. Only vbm_register_memory() and vbm_deregister_memory() make system
 * calls, and none waits for the network.
 */

/* A peer needs this for reads, writes and atomics. */
struct vbm_remote_memory {
	uint64_t addr;		/* of the first byte, in its owner's process */
	uint64_t length;	/* bytes */
	uint32_t rkey;
};

/* Memory of this process that requests may use. The program changes no member. */
struct vbm_memory {
	struct ibv_mr *mr;	/* NULL: not registered */
	void *addr;
	size_t length;		/* bytes */
	uint32_t lkey;		/* for vbm_send, vbm_recv and ibv_sge */
	struct vbm_remote_memory remote;	/* for peers, if @access allows them anything */
};

/*
 * Register @length bytes at @addr in the protection domain of a domain or a queue pair, by
 * ibv_reg_mr(3). @access has bits of enum ibv_access_flags; IBV_ACCESS_LOCAL_WRITE is added
 * where the device needs it, for remote writes and atomics. The memory stays the program's.
 * After a failure @memory is zero, and @error (may be NULL) says why: ENOMEM with the
 * limit of locked memory, EFAULT: the memory is not the process's, or read-only; the errno
 * of ibv_reg_mr(3).
 */
VBM_API int vbm_register_memory(struct vbm_memory *memory, struct ibv_pd *pd, void *addr, size_t length,
				int access, struct vbm_error *error);

/*
 * End the registration, by ibv_dereg_mr(3); @memory is then zero. NULL, and memory that is
 * not registered, are allowed. EBUSY: a memory window uses it; nothing changes.
 */
VBM_API int vbm_deregister_memory(struct vbm_memory *memory);

/* The bytes of a struct vbm_remote_memory on the wire: address, length, key, in network order. */
#define VBM_REMOTE_MEMORY_BYTES 20

/* Write @memory to VBM_REMOTE_MEMORY_BYTES @bytes. */
VBM_API int vbm_pack_remote_memory(void *bytes, const struct vbm_remote_memory *memory);

/*
 * Read them from a message of @size bytes, of which the ones after the first
 * VBM_REMOTE_MEMORY_BYTES do not count. EMSGSIZE: there are fewer. EPROTO: the address and
 * the length do not fit together, so a peer cannot have such memory. *@memory is zero then.
 */
VBM_API int vbm_unpack_remote_memory(struct vbm_remote_memory *memory, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
