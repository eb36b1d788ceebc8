/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: names/consts.c names/const-tables.c names/const-verbs.c */
#include "cmocka_all.h"

#include <netdb.h>
#include <stdlib.h>
#include <infiniband/verbs.h>

#include "base/cleanup.h"
#include "names/consts.h"

TEST(test_consts__lookup__takes_short_and_full_names)
{
	int64_t v = -1;

	assert_true(const_lookup(&const_qp_type, "UD", &v));
	assert_int_equal(v, IBV_QPT_UD);
	v = -1;
	assert_true(const_lookup(&const_qp_type, "IBV_QPT_UD", &v));
	assert_int_equal(v, IBV_QPT_UD);
	assert_false(const_lookup(&const_qp_type, "RDMA_UD", &v));
	assert_true(const_lookup(&const_return, "EAI_QPTYPE", &v));
	assert_int_equal(v, EAI_SOCKTYPE);
	assert_true(const_lookup(&const_return, "EAI_CANCELED", &v));
	assert_int_equal(v, EAI_CANCELED);
}

TEST(test_consts__show__names_flags_and_leftover_bits)
{
	auto_free char *two = const_show(&const_access, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	auto_free char *odd = const_show(&const_access, IBV_ACCESS_LOCAL_WRITE | 0x40000000);
	auto_free char *none = const_show(&const_wc_status, 99);

	assert_string_equal(two, "LOCAL_WRITE|REMOTE_READ");
	assert_string_equal(odd, "LOCAL_WRITE|0x40000000");
	assert_string_equal(none, "99");
}

TEST(test_consts__suggest__finds_close_names_only)
{
	assert_string_equal(const_suggest(&const_return, "EAI_QPTYP"), "EAI_QPTYPE");
	assert_string_equal(const_suggest(&const_wc_status, "IBV_WC_RETRY_EXCERR"), "RETRY_EXC_ERR");
	assert_null(const_suggest(&const_qp_type, "elephant"));
}

TEST(test_consts__every_set__has_distinct_values)
{
	const struct const_set *const *set;
	size_t i, k;

	for (set = const_sets; *set; set++)
		for (i = 0; i < (*set)->count; i++)
			for (k = 0; k < i; k++)
				if ((*set)->entry[i].value == (*set)->entry[k].value)
					fail_msg("%s: %s and %s", (*set)->name,
						 (*set)->entry[i].name, (*set)->entry[k].name);
}
