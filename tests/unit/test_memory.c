/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/qp/memory.c */
/* Without a device: the form on the wire, and mistakes. tests/guest/qp-program.c has the rest. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include <verbatim/memory.h>

TEST(test_pack__bytes)
{
	static const uint8_t wire[VBM_REMOTE_MEMORY_BYTES] = {
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
		0xa1, 0xa2, 0xa3, 0xa4,
	};
	struct vbm_remote_memory m = {0x0102030405060708, 0x1112131415161718, 0xa1a2a3a4}, back;
	uint8_t bytes[VBM_REMOTE_MEMORY_BYTES + 1];

	memset(bytes, 0x5a, sizeof(bytes));
	assert_int_equal(vbm_pack_remote_memory(bytes, &m), 0);
	assert_memory_equal(bytes, wire, sizeof(wire));
	assert_int_equal(bytes[VBM_REMOTE_MEMORY_BYTES], 0x5a);
	assert_int_equal(vbm_unpack_remote_memory(&back, bytes, sizeof(bytes)), 0);
	assert_int_equal(back.addr, m.addr);
	assert_int_equal(back.length, m.length);
	assert_int_equal(back.rkey, m.rkey);
}

TEST(test_unpack__hostile)
{
	struct vbm_remote_memory m = {UINT64_MAX, 1, 2};
	uint8_t bytes[VBM_REMOTE_MEMORY_BYTES];
	size_t size;

	vbm_pack_remote_memory(bytes, &m);
	assert_int_equal(vbm_unpack_remote_memory(&m, bytes, sizeof(bytes)), EPROTO);
	assert_int_equal(m.length, 0);
	m = (struct vbm_remote_memory){UINT64_MAX - 1, 1, 2};
	vbm_pack_remote_memory(bytes, &m);
	assert_int_equal(vbm_unpack_remote_memory(&m, bytes, sizeof(bytes)), 0);
	for (size = 0; size < sizeof(bytes); size++) {
		m.rkey = 7;
		assert_int_equal(vbm_unpack_remote_memory(&m, bytes, size), EMSGSIZE);
		assert_int_equal(m.rkey, 0);
	}
}

TEST(test_memory__arguments)
{
	struct ibv_pd *none = (struct ibv_pd *)state;
	struct vbm_memory m = {.length = 5};
	struct vbm_remote_memory remote = {0};
	struct vbm_error error;
	char bytes[32];

	assert_int_equal(vbm_register_memory(NULL, none, bytes, 1, 0, &error), EINVAL);
	assert_int_equal(vbm_register_memory(&m, NULL, bytes, 1, 0, &error), EINVAL);
	assert_int_equal(m.length, 0);
	assert_int_equal(vbm_register_memory(&m, none, NULL, 1, 0, NULL), EINVAL);
	assert_int_equal(vbm_deregister_memory(NULL), 0);
	assert_int_equal(vbm_deregister_memory(&m), 0);
	assert_int_equal(vbm_pack_remote_memory(NULL, &remote), EINVAL);
	assert_int_equal(vbm_pack_remote_memory(bytes, NULL), EINVAL);
	assert_int_equal(vbm_unpack_remote_memory(NULL, bytes, 32), EINVAL);
	assert_int_equal(vbm_unpack_remote_memory(&remote, NULL, 32), EINVAL);
}
