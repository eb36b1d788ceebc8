/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/endpoint/table.c */
/* The actions of an endpoint for each event in each state, without a device. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "lib/endpoint/table.h"

static const char letters[ENDPOINT_ACTIONS + 1] = {
	[ENDPOINT_IGNORE] = '.', [ENDPOINT_TAKE_LIST] = 'L', [ENDPOINT_RESOLVE_ROUTE] = 'R',
	[ENDPOINT_ASK] = 'A', [ENDPOINT_TRY_NEXT] = 'N', [ENDPOINT_FAIL] = 'F',
	[ENDPOINT_TAKE_REQUEST] = 'Q', [ENDPOINT_SETTLE] = 'S', [ENDPOINT_ANSWER] = 'D',
	[ENDPOINT_END] = 'E', [ENDPOINT_REMOVE] = 'X',
};

/*
 * One column for each event, by number: rdma_cm's events from ADDR_RESOLVED (0) through
 * CONNECT_REQUEST (4), REJECTED (8), ESTABLISHED (9), DISCONNECTED (10), DEVICE_REMOVAL
 * (11) and TIMEWAIT_EXIT (15) to ADDRINFO_ERROR (17), then the time limit and the
 * rejection by the peer's program.
 */
static const char *const wanted[ENDPOINT_STATES] = {
	[VBM_ENDPOINT_IDLE] =            "...........X........",
	[VBM_ENDPOINT_TRANSLATING] =     "...........F....LFF.",
	[VBM_ENDPOINT_RESOLVING_ADDR] =  "RN.........N......N.",
	[VBM_ENDPOINT_RESOLVING_ROUTE] = "..AN.......N......N.",
	[VBM_ENDPOINT_CONNECTING] =      "......NNNSFN......NF",
	[VBM_ENDPOINT_LISTENING] =       "....Q......X........",
	[VBM_ENDPOINT_REQUESTED] =       "......FFF.FX.......F",
	[VBM_ENDPOINT_ACCEPTING] =       "......FFFSDX......FF",
	[VBM_ENDPOINT_CONNECTED] =       "..........DX........",
	[VBM_ENDPOINT_DISCONNECTING] =   "..........EX...E..E.",
	[VBM_ENDPOINT_DISCONNECTED] =    "...........X........",
	[VBM_ENDPOINT_FAILED] =          "...........X........",
	[VBM_ENDPOINT_REMOVED] =         "....................",
};

TEST(test_action__every_pair__is_as_drawn)
{
	char got[ENDPOINT_EVENTS + 1];
	int s, e;

	for (s = 0; s < ENDPOINT_STATES; s++) {
		for (e = 0; e < ENDPOINT_EVENTS; e++)
			got[e] = letters[vbm_endpoint_action((enum vbm_endpoint_state)s, e)];
		got[e] = '\0';
		assert_string_equal(got, wanted[s]);
	}
}

TEST(test_action__what_does_not_exist__is_ignored)
{
	assert_int_equal(vbm_endpoint_action(VBM_ENDPOINT_CONNECTED, -1), ENDPOINT_IGNORE);
	assert_int_equal(vbm_endpoint_action(VBM_ENDPOINT_CONNECTED, ENDPOINT_EVENTS),
			 ENDPOINT_IGNORE);
	assert_int_equal(vbm_endpoint_action((enum vbm_endpoint_state)ENDPOINT_STATES, 0),
			 ENDPOINT_IGNORE);
	assert_int_equal(vbm_endpoint_action((enum vbm_endpoint_state)-1, 0), ENDPOINT_IGNORE);
}

TEST(test_under_way__ends_by_the_time_limit)
{
	static const char expected[] = ".yyyy..y.y...";
	char got[ENDPOINT_STATES + 1] = "";
	int s;

	for (s = 0; s < ENDPOINT_STATES; s++)
		got[s] = vbm_endpoint_is_under_way((enum vbm_endpoint_state)s) ? 'y' : '.';
	assert_string_equal(got, expected);
}

/* rdma_connect(3), rdma_accept(3). */
TEST(test_room__is_the_pages)
{
	assert_int_equal(vbm_endpoint_room(VBM_WAY_RDMA_CM, IBV_QPT_RC, ENDPOINT_REQUEST), 56);
	assert_int_equal(vbm_endpoint_room(VBM_WAY_RDMA_CM, IBV_QPT_RC, ENDPOINT_ACCEPTANCE), 196);
	assert_int_equal(vbm_endpoint_room(VBM_WAY_RDMA_CM, IBV_QPT_RC, ENDPOINT_REJECTION), 148);
	assert_int_equal(vbm_endpoint_room(VBM_WAY_RDMA_CM, IBV_QPT_UD, ENDPOINT_REQUEST), 180);
	assert_int_equal(vbm_endpoint_room(VBM_WAY_RDMA_CM, IBV_QPT_UD, ENDPOINT_ACCEPTANCE), 136);
	assert_int_equal(vbm_endpoint_room(VBM_WAY_RDMA_CM, IBV_QPT_UD, ENDPOINT_REJECTION), 136);
	assert_int_equal(vbm_endpoint_room(VBM_WAY_HANDSHAKE, IBV_QPT_UC, ENDPOINT_REQUEST), 192);
	assert_int_equal(vbm_endpoint_room(VBM_WAY_HANDSHAKE, IBV_QPT_RC, ENDPOINT_REJECTION), 192);
}

TEST(test_code__of_an_event_and_its_status)
{
	static const struct {
		int event, status, code;
	} row[] = {
		{RDMA_CM_EVENT_ADDR_ERROR, -ENODEV, ENODEV},
		{RDMA_CM_EVENT_ADDR_ERROR, 0, EHOSTUNREACH},
		{RDMA_CM_EVENT_ROUTE_ERROR, -ETIMEDOUT, ETIMEDOUT},
		{RDMA_CM_EVENT_ROUTE_ERROR, -1, EIO},
		{RDMA_CM_EVENT_CONNECT_ERROR, -ENOMEM, ENOMEM},
		{RDMA_CM_EVENT_CONNECT_ERROR, 0, ECONNABORTED},
		{RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, ETIMEDOUT},
		{RDMA_CM_EVENT_UNREACHABLE, 0, EHOSTUNREACH},
		{RDMA_CM_EVENT_UNREACHABLE, 2, ECONNREFUSED},
		{RDMA_CM_EVENT_REJECTED, 8, ECONNREFUSED},
		{ENDPOINT_REJECTED_BY_PEER, 28, ECONNREFUSED},
		{RDMA_CM_EVENT_DISCONNECTED, 0, ECONNRESET},
		{RDMA_CM_EVENT_DEVICE_REMOVAL, 0, ENODEV},
		{ENDPOINT_TIMEOUT, 0, ETIMEDOUT},
		{RDMA_CM_EVENT_ESTABLISHED, 0, EIO},
		{-1, 0, EIO}, {ENDPOINT_EVENTS, 0, EIO},
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(vbm_endpoint_code(row[i].event, row[i].status), row[i].code);
}

/* These errors may end when a server starts again or a host comes up. */
TEST(test_may_mend__by_code)
{
	static const int yes[] = {ECONNREFUSED, ECONNRESET, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT};
	static const int no[] = {0, EPROTO, ENODEV, EMSGSIZE, ENOENT, EMFILE, ENOMEM, ECANCELED, EINVAL, -1};
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		assert_true(vbm_endpoint_may_mend(yes[i]));
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(vbm_endpoint_may_mend(no[i]));
}
