/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: net/nl.c net/nl-route.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/ip.h"
#include "net/nl.h"

#define WAIT_MS 1000
#define STALL_NS 20000000	/* longer than the time between two checks */

static bool stalls;
static int64_t stood_still_ns;
static int looked_at_the_clock;

/*
 * A busy machine can pause between any two instructions. No test can make it pause between
 * two readings of the clock, so here the clock pretends that it did.
 */
#pragma GCC visibility push(default)
int clock_gettime(clockid_t clock, struct timespec *ts)
{
	int ret = (int)syscall(SYS_clock_gettime, clock, ts);
	int64_t ns;

	if (ret < 0 || !stalls)
		return ret;
	looked_at_the_clock++;
	stood_still_ns += STALL_NS;
	ns = (int64_t)ts->tv_sec * 1000000000 + ts->tv_nsec + stood_still_ns;
	ts->tv_sec = ns / 1000000000;
	ts->tv_nsec = ns % 1000000000;
	return ret;
}
#pragma GCC visibility pop

static struct netlink *nl;

static int setup(void **state)
{
	struct vbm_error err;

	(void)state;
	return netlink_open(&nl, -1, &err);
}

static int teardown(void **state)
{
	(void)state;
	netlink_close(nl);
	return 0;
}

UNIT(.each = {setup, teardown});

/*
 * A wait must not take a pause of the machine for its own end; it ends after one or two
 * more checks.
 */
TEST(test_net_wait__an_address_that_never_comes__is_waited_for)
{
	const struct ip_prefix nobodys = {.family = AF_INET6, .len = 128, .addr = {0xfd, 1}};
	struct vbm_error err;
	int64_t deadline_ns;

	stalls = true;
	deadline_ns = clock_deadline_ms(WAIT_MS);
	assert_int_equal(netlink_addr_wait(nl, 1, &nobodys, deadline_ns, &err), -ETIMEDOUT);
	assert_true(clock_now_ns() >= deadline_ns);
	stalls = false;
	assert_true(looked_at_the_clock > 3);
}
