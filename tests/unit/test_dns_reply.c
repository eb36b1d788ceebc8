/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/dns-reply.c */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "lib/resolve/dns-reply.h"

/* Header; www.x A?; www.x CNAME y.x; y.x A 192.0.2.1; z.x A 192.0.2.2 */
static const uint8_t reply[] = {
	0, 1, 0x81, 0x80, 0, 1, 0, 3, 0, 0, 0, 0,
	3, 'w', 'w', 'w', 1, 'x', 0, 0, 1, 0, 1,
	0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, 4, 1, 'y', 0xc0, 16,
	0xc0, 35, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1,
	1, 'z', 0xc0, 16, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 2,
};

static int read_reply(const uint8_t *msg, size_t len, int family, size_t *count, char *canon)
{
	struct addr_list list = {0};
	int ret = vbm_dns_reply_read(msg, len, family, &list, canon);

	*count = list.count;
	vbm_addr_list_clear(&list);
	return ret;
}

TEST(test_reply__aliases_lead_to_the_address)
{
	char canon[DNS_NAME_ROOM];
	size_t count;

	assert_int_equal(read_reply(reply, sizeof(reply), AF_INET, &count, canon), 1);
	assert_int_equal(count, 1);
	assert_string_equal(canon, "y.x");
	assert_int_equal(read_reply(reply, sizeof(reply), AF_INET6, &count, canon), 0);
}

TEST(test_reply__cut_anywhere)
{
	char canon[DNS_NAME_ROOM];
	size_t count;

	for (size_t len = 0; len < sizeof(reply); len++)
		assert_int_equal(read_reply(reply, len, AF_INET, &count, canon), -EBADMSG);
}

TEST(test_reply__any_bit_flipped)
{
	char canon[DNS_NAME_ROOM];
	uint8_t bad[sizeof(reply)];
	size_t count;

	for (size_t bit = 0; bit < 8 * sizeof(reply); bit++) {
		memcpy(bad, reply, sizeof(reply));
		bad[bit / 8] ^= (uint8_t)(1u << bit % 8);
		read_reply(bad, sizeof(bad), AF_INET, &count, canon);
		assert_in_range(count, 0, 3);
	}
}

TEST(test_reply__loops_end)
{
	static const uint8_t self[] = {
		0, 1, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0,
		1, 'a', 0, 0, 1, 0, 1,
		0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, 2, 0xc0, 12,
	};
	static const uint8_t pointer[] = {
		0, 1, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1,
	};
	char canon[DNS_NAME_ROOM];
	size_t count;

	assert_int_equal(read_reply(self, sizeof(self), AF_INET, &count, canon), -EBADMSG);
	assert_int_equal(read_reply(pointer, sizeof(pointer), AF_INET, &count, canon), -EBADMSG);
}
