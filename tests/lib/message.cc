/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The message of version 0 as a C++ declaration: the table of docs/handshake.md, with the
 * header and the constants that it leaves open. It compiles and has no bytes between its
 * members: EX-HSK-STRUCT in scenarios/coverage.tsv.
 */
#include <cstddef>
#include <cstdint>

#include <infiniband/verbs.h>

namespace {

const uint8_t flag_sync = 1, flag_ack = 2;
const uint16_t magic_of_version_0 = 0x5652;

struct any_header {
	uint8_t flag;
	uint8_t rest[7];
} __attribute__((packed));

struct message {
	any_header header;
	uint16_t magic = magic_of_version_0;
	uint16_t lid = 0, peer_lid = 0;
	uint32_t qp_num = 0, peer_qp_num = 0;
	union ibv_gid gid, peer_gid;

	bool is_setup_sync() const
	{
		return header.flag == flag_sync;
	}
	bool is_setup_sync_ack() const
	{
		return header.flag == (flag_sync | flag_ack);
	}
	bool is_setup_ack() const
	{
		return header.flag == flag_ack;
	}
} __attribute__((packed));

static_assert(sizeof(message) == sizeof(any_header) + 46, "no bytes between the members");
static_assert(sizeof(message::gid) == 16 && sizeof(message::peer_gid) == 16, "two GIDs");

} /* namespace */

int main()
{
	message m = message();

	m.header.flag = flag_sync | flag_ack;
	return m.magic == magic_of_version_0 && !m.lid && !m.qp_num && m.is_setup_sync_ack() &&
	       !m.is_setup_sync() && !m.is_setup_ack() ? 0 : 1;
}
