/* SPDX-License-Identifier: BSD-2-Clause */
#include <verbatim/memory.h>

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/base/fail.h"

#define WRITES_HERE (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)

static int fail_registration(int code, size_t length, const struct ibv_pd *pd, struct vbm_error *error)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
	const char *device = ibv_get_device_name(pd->context->device);

	if (code == ENOMEM)
		getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur != RLIM_INFINITY)
		return -vbm_fail(error, code, "ibv_reg_mr of %zu bytes fails on the device %s: %s; the process may "
				 "lock %llu bytes (ulimit -l)", length, device, strerror(code),
				 (unsigned long long)limit.rlim_cur);
	return -vbm_fail(error, code, "ibv_reg_mr of %zu bytes fails on the device %s: %s", length, device,
			 strerror(code));
}

int vbm_register_memory(struct vbm_memory *memory, struct ibv_pd *pd, void *addr, size_t length,
			int access, struct vbm_error *error)
{
	struct ibv_mr *mr;

	if (memory)
		memset(memory, 0, sizeof(*memory));
	if (!memory || !pd || (length && !addr))
		return -vbm_fail(error, EINVAL, "a pointer for the memory or its protection domain is NULL");
	if (access & WRITES_HERE)
		access |= IBV_ACCESS_LOCAL_WRITE;
	errno = 0;
	mr = ibv_reg_mr(pd, addr, length, (unsigned int)access);
	if (!mr)
		return fail_registration(errno ? errno : EIO, length, pd, error);
	*memory = (struct vbm_memory){
		.mr = mr, .addr = addr, .length = length, .lkey = mr->lkey,
		.remote = {.addr = (uintptr_t)addr, .length = length, .rkey = mr->rkey},
	};
	return 0;
}

int vbm_deregister_memory(struct vbm_memory *memory)
{
	int rc = memory && memory->mr ? ibv_dereg_mr(memory->mr) : 0;

	if (memory && rc == 0)
		memset(memory, 0, sizeof(*memory));
	return rc;
}

int vbm_pack_remote_memory(void *bytes, const struct vbm_remote_memory *memory)
{
	uint64_t words[2];
	uint32_t key;

	if (!bytes || !memory)
		return EINVAL;
	words[0] = htobe64(memory->addr);
	words[1] = htobe64(memory->length);
	key = htobe32(memory->rkey);
	memcpy(bytes, words, sizeof(words));
	memcpy((char *)bytes + sizeof(words), &key, sizeof(key));
	return 0;
}

int vbm_unpack_remote_memory(struct vbm_remote_memory *memory, const void *bytes, size_t size)
{
	uint64_t words[2];
	uint32_t key;

	if (memory)
		memset(memory, 0, sizeof(*memory));
	if (!memory || !bytes)
		return EINVAL;
	if (size < VBM_REMOTE_MEMORY_BYTES)
		return EMSGSIZE;
	memcpy(words, bytes, sizeof(words));
	memcpy(&key, (const char *)bytes + sizeof(words), sizeof(key));
	if (be64toh(words[0]) + be64toh(words[1]) < be64toh(words[0]))
		return EPROTO;
	*memory = (struct vbm_remote_memory){be64toh(words[0]), be64toh(words[1]), be32toh(key)};
	return 0;
}
