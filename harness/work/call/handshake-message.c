/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/handshake-message.h"

#include <string.h>

#include "base/xalloc.h"

#define VALUES_SIZE 32		/* of one end, version 1 */

#define HEAD                                                                  \
	{"version", HANDSHAKE_OF_HEAD, 0, 1}, {"flag", HANDSHAKE_OF_HEAD, 1, 1}, \
	{"length", HANDSHAKE_OF_HEAD, 2, 2}, {"magic", HANDSHAKE_OF_HEAD, 4, 2}

/* Without its header the plain struct is the same, so @first is the size of the header. */
#define VALUES_0(first)                                                       \
	{"lid", HANDSHAKE_OF_CLIENT, (first) + 2, 2},                         \
	{"peer_lid", HANDSHAKE_OF_SERVER, (first) + 4, 2},                    \
	{"qp_num", HANDSHAKE_OF_CLIENT, (first) + 6, 4},                      \
	{"peer_qp_num", HANDSHAKE_OF_SERVER, (first) + 10, 4},                \
	{"gid", HANDSHAKE_OF_CLIENT, (first) + 14, HANDSHAKE_GID_SIZE},       \
	{"peer_gid", HANDSHAKE_OF_SERVER, (first) + 30, HANDSHAKE_GID_SIZE}

#define VALUES_1(prefix, whose, at)                                           \
	{prefix "lid", whose, (at), 2}, {prefix "gid_index", whose, (at) + 2, 1}, \
	{prefix "mtu", whose, (at) + 3, 1}, {prefix "qp_num", whose, (at) + 4, 4}, \
	{prefix "psn", whose, (at) + 8, 4},                                   \
	{prefix "responder_resources", whose, (at) + 12, 1},                  \
	{prefix "initiator_depth", whose, (at) + 13, 1},                      \
	{prefix "capabilities", whose, (at) + 14, 2},                         \
	{prefix "gid", whose, (at) + 16, HANDSHAKE_GID_SIZE}

static const struct handshake_member version_0[] = {HEAD, VALUES_0(4)};
static const struct handshake_member version_1[] = {
	HEAD,
	{"private_length", HANDSHAKE_OF_HEAD, 6, 2},
	VALUES_1("", HANDSHAKE_OF_CLIENT, 8),
	VALUES_1("peer_", HANDSHAKE_OF_SERVER, 8 + VALUES_SIZE),
};
static const struct handshake_member refusal[] = {
	HEAD,
	{"reason", HANDSHAKE_OF_HEAD, 6, 1},
	{"versions", HANDSHAKE_OF_HEAD, 7, 1},
};
/* The flag is in the header, whose form is not fixed. */
static const struct handshake_member plain_struct[] = {
	{"flag", HANDSHAKE_OF_HEAD, 0, 0}, {"magic", HANDSHAKE_OF_HEAD, 0, 2}, VALUES_0(0),
};

static const struct {
	const struct handshake_member *member;
	size_t count, size;
} formats[HANDSHAKE_FORMATS] = {
	[HANDSHAKE_VERSION_0] = {version_0, ARRAY_SIZE(version_0), 50},
	[HANDSHAKE_VERSION_1] = {version_1, ARRAY_SIZE(version_1), 72},
	[HANDSHAKE_REFUSED] = {refusal, ARRAY_SIZE(refusal), 8},
	[HANDSHAKE_PLAIN] = {plain_struct, ARRAY_SIZE(plain_struct), 46},
};

bool handshake_message_member(enum handshake_format format, const struct handshake_plain *plain,
			      size_t i, struct handshake_member *member)
{
	if (i >= formats[format].count)
		return false;
	*member = formats[format].member[i];
	if (format != HANDSHAKE_PLAIN)
		return true;
	if (i == 0) {
		member->at = plain->flag_at;
		member->size = plain->flag_size;
	} else {
		member->at += plain->header_size;
	}
	return true;
}

size_t handshake_message_size(enum handshake_format format, const struct handshake_plain *plain)
{
	return formats[format].size + (format == HANDSHAKE_PLAIN ? plain->header_size : 0);
}

/* The position of the byte that is the @i-th from the least significant one. */
static size_t place(const struct handshake_member *m, bool network_order, size_t i)
{
	bool big = network_order || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	return big ? m->at + m->size - 1 - i : m->at + i;
}

void handshake_message_put(uint8_t *message, const struct handshake_member *member,
			   bool network_order, uint64_t value)
{
	size_t i;

	for (i = 0; i < member->size; i++)
		message[place(member, network_order, i)] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
}

uint64_t handshake_message_get(const uint8_t *message, const struct handshake_member *member,
			       bool network_order)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < member->size && i < 8; i++)
		value |= (uint64_t)message[place(member, network_order, i)] << 8 * i;
	return value;
}

enum handshake_format handshake_message_format(const uint8_t *head)
{
	if (head[0] == 0)
		return HANDSHAKE_VERSION_0;
	return head[1] == 4 ? HANDSHAKE_REFUSED : HANDSHAKE_VERSION_1;
}

size_t handshake_message_whole(const uint8_t *head)
{
	enum handshake_format format = handshake_message_format(head);
	size_t length = (size_t)head[2] << 8 | head[3], fixed = formats[format].size;

	if (format == HANDSHAKE_VERSION_0 || length < fixed || length > fixed + HANDSHAKE_PRIVATE_MAX)
		return fixed;
	return length;
}
