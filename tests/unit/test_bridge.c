/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bridge.h"

/* Where rdma_cm's device would be: nothing of its own ever comes from it. */
static struct rdma_event_channel ec;
static struct rdma_cm_id cm_id = {.channel = &ec};

static int start(void **state)
{
	(void)state;
	ec.fd = eventfd(0, EFD_CLOEXEC);
	return ec.fd < 0;
}

static int stop(void **state)
{
	(void)state;
	vbm_bridge_forget_id(&cm_id);
	vbm_bridge_forget_channel(&ec);
	return close(ec.fd);
}

static bool readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static void expect_event(int event)
{
	struct rdma_cm_event *e;

	assert_int_equal(vbm_bridge_get_cm_event(&ec, &e), 0);
	assert_ptr_equal(e->id, &cm_id);
	assert_int_equal(e->event, event);
	assert_int_equal(vbm_bridge_ack_cm_event(e), 0);
}

/* What libverbatim(7) says of programs that poll. */
static void test_bridge__only_its_own_descriptor_tells_of_both(void **state)
{
	(void)state;
	assert_int_equal(vbm_bridge_fd(&ec), ec.fd);
	assert_int_equal(vbm_bridge_resolve_addrinfo(&cm_id, "192.0.2.1", "1", NULL), 0);
	assert_true(readable(vbm_bridge_fd(&ec)));
	assert_false(readable(ec.fd));
	expect_event(RDMA_CM_EVENT_ADDRINFO_RESOLVED);
	assert_false(readable(vbm_bridge_fd(&ec)));
}

static void test_bridge__a_descriptor_that_does_not_wait(void **state)
{
	struct rdma_cm_event *e;

	(void)state;
	assert_int_equal(fcntl(ec.fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(vbm_bridge_resolve_addrinfo(&cm_id, "192.0.2.1", "nosuch", NULL), 0);
	expect_event(RDMA_CM_EVENT_ADDRINFO_ERROR);
	assert_int_equal(vbm_bridge_get_cm_event(&ec, &e), -1);
	assert_int_equal(errno, EAGAIN);
}

VBM_TESTS(cmocka_unit_test_setup_teardown(test_bridge__only_its_own_descriptor_tells_of_both, start, stop),
	  cmocka_unit_test_setup_teardown(test_bridge__a_descriptor_that_does_not_wait, start, stop));
