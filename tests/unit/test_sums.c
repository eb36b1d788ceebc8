/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: job-run/packets.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "job-run/packets.h"

TEST(test_sums)
{
	static const struct {
		struct packet_sums sums;
		const char *mistake;	/* NULL: they add up */
	} row[] = {
		{{.sent = 0}, NULL},
		{{.sent = 5, .received = 5}, NULL},
		{{.sent = 5, .received = 3, .taken = 2}, NULL},
		{{.sent = 5, .received = 5, .taken = 2, .again = 2}, NULL},
		{{.sent = 5, .received = 7, .again = 2}, NULL},	/* copies */
		{{.sent = 5, .received = 4}, "5 were sent to host b, rules took 0 away and put 0 back, and 4 arrived"},
		{{.sent = 5, .received = 6}, "5 were sent to host b, rules took 0 away and put 0 back, and 6 arrived"},
		{{.sent = 5, .received = 5, .taken = 1}, "rules took 1 away and put 0 back, and 5 arrived"},
		{{.sent = 5, .received = 5, .again = 1}, "rules took 0 away and put 1 back, and 5 arrived"},
		{{.sent = 5, .received = 5, .taken = 1, .again = 2}, "rules took 1 away and put 2 back, and 5 arrived"},
		{{.sent = 0, .received = 0, .taken = 1}, "0 were sent to host b, rules took 1 away"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_free char *mistake = packets_mistake(&row[i].sums, "b");

		if (!row[i].mistake != !mistake || (mistake && !strstr(mistake, row[i].mistake)))
			fail_msg("row %zu: %s", i, mistake ? mistake : "nothing");
	}
}
