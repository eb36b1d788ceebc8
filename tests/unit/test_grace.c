/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/grace.c */
#include "cmocka_all.h"

#include "lib/handshake/grace.h"

#define MS 1000000LL

TEST(test_grace__while_nobody_waits)
{
	struct grace g = {.limit_ms = 0};

	assert_int_equal(vbm_grace_ns(&g, 1), 800 * MS);
	g.limit_ms = 20;
	assert_int_equal(vbm_grace_ns(&g, 1), 20 * MS);
	/* A limit of the program is the longest, whoever waits. */
	vbm_grace_waiting(&g, 1);
	assert_int_equal(vbm_grace_ns(&g, 1), 20 * MS);
}

/* The last of so many clients, all silent, gives way after so long in all. */
static int64_t after_all(unsigned int clients, unsigned int offers)
{
	struct grace g = {.limit_ms = 0};
	unsigned int waiting = clients, i;
	int64_t sum = 0;

	while (waiting) {
		vbm_grace_waiting(&g, waiting);
		sum += vbm_grace_ns(&g, offers);
		for (i = 0; i < offers && waiting; i++, waiting--)
			vbm_grace_gave_way(&g);
	}
	return sum;
}

TEST(test_grace__of_a_crowd)
{
	unsigned int clients, offers;

	for (offers = 1; offers <= 16; offers++)
		for (clients = 1; clients <= 60 * offers; clients++)
			if (after_all(clients, offers) > 950 * MS)
				fail_msg("%u clients, %u offers: %d ms", clients, offers,
					 (int)(after_all(clients, offers) / MS));
	/* More clients than that still get a time in which one that is good can answer. */
	assert_in_range(after_all(1000, 1), 10000 * MS, 10500 * MS);
}

/* Good clients that are slow have their time although a client before them was silent. */
TEST(test_grace__that_good_clients_need)
{
	struct grace g = {.limit_ms = 0};
	int i;

	vbm_grace_waiting(&g, 100);
	for (i = 0; i < 20; i++)
		vbm_grace_gave_way(&g);
	assert_int_equal(vbm_grace_ns(&g, 1), 10 * MS);
	vbm_grace_answered(&g, 30 * MS);
	assert_int_equal(vbm_grace_ns(&g, 1), 120 * MS);
	/* It is a mean, and no client can make it long. */
	vbm_grace_answered(&g, 38 * MS);
	assert_int_equal(vbm_grace_ns(&g, 1), 124 * MS);
	vbm_grace_answered(&g, 1000000 * MS);
	assert_int_equal(vbm_grace_ns(&g, 1), 200 * MS);
	for (i = 0; i < 200; i++)
		vbm_grace_answered(&g, 1 * MS);
	assert_int_equal(vbm_grace_ns(&g, 1), 10 * MS);
}

TEST(test_grace__begins_anew)
{
	struct grace g = {.limit_ms = 0};

	vbm_grace_waiting(&g, 50);
	vbm_grace_gave_way(&g);
	assert_int_equal(vbm_grace_ns(&g, 1), 100 * MS);
	vbm_grace_waiting(&g, 1);
	assert_int_equal(vbm_grace_ns(&g, 1), 100 * MS);
	vbm_grace_waiting(&g, 0);
	vbm_grace_waiting(&g, 1);
	assert_int_equal(vbm_grace_ns(&g, 1), 500 * MS);
}
