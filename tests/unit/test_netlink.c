/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: net/nl*.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "net/nl.h"

TEST(test_netlink__failures__carry_the_kernels_errno_and_words)
{
	struct netlink *nl;
	struct vbm_error err;
	struct link link;

	if (geteuid() != 0) {
		printf("# skipped: changing interfaces needs root\n");
		skip();
	}
	assert_int_equal(netlink_open(&nl, -1, &err), 0);
	assert_int_equal(netlink_link_get(nl, "nosuch", &link, &err), -ENODEV);
	assert_string_equal(err.msg, "cannot look at the interface nosuch: No such device");
	assert_int_equal(netlink_link_up(nl, "a-name-far-too-long", &err), -ERANGE);
	assert_non_null(strstr(err.msg, "("));
	assert_int_equal(netlink_link_get(nl, "lo", &link, &err), 0);
	netlink_close(nl);
}
