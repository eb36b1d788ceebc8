/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/qp/completions.c */
/*
 * Tests that need no device. The driver's functions for polling and arming are replaced, because
 * no device breaks its completion queue on request. tests/guest/completions-program.c has
 * the rest.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <verbatim/domain.h>

#include "lib/base/mem.h"
#include "lib/qp/qp.h"

#define MANY 1000

static int polled, armed, refuse_poll, refuse_arm;
static int ready;		/* completions that are there */
static int late;		/* that arrive with the arming */

static int poll_cq(struct ibv_cq *cq, int room, struct ibv_wc *wc)
{
	int n = ready < room ? ready : room;

	(void)cq;
	polled++;
	if (refuse_poll)
		return -1;
	for (int i = 0; i < n; i++)
		wc[i].qp_num = 7;
	ready -= n;
	return n;
}

static int arm(struct ibv_cq *cq, int solicited)
{
	(void)cq;
	assert_int_equal(solicited, 0);
	armed++;
	ready += late;
	late = 0;
	return refuse_arm;
}

static struct ibv_context context = {.ops = {.poll_cq = poll_cq, .req_notify_cq = arm}, .cmd_fd = -1};
static struct ibv_comp_channel channel = {.context = &context};
static struct ibv_cq cq = {.context = &context, .channel = &channel};

/* A completion queue without a device: its parts come from here. */
static struct vbm_completions *c;
static int pipe_fd[2];

static int start(void **state)
{
	(void)state;
	polled = armed = refuse_poll = refuse_arm = ready = late = 0;
	if (pipe(pipe_fd))
		return -1;
	channel.fd = pipe_fd[0];
	return vbm_completions_of_parts(&c, &cq);
}

static int stop(void **state)
{
	(void)state;
	c->cq = NULL;
	c->channel = NULL;
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	return vbm_completions_end(c);
}

UNIT(.each = {start, stop});

TEST(test_collect__until_there_is_none)
{
	struct ibv_wc wc[4];
	int n;

	ready = 6;
	assert_int_equal(vbm_collect_completions(c, wc, 4, &n), 0);
	assert_int_equal(n, 4);
	assert_int_equal(vbm_collect_completions(c, wc, 4, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(armed, 0);
	assert_int_equal(vbm_collect_completions(c, wc, 4, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(armed, 1);
	assert_int_equal(polled, 4);
}

/* It makes no event, because it was there before the arming had ended. */
TEST(test_collect__one_just_before_arming)
{
	struct ibv_wc wc[4];
	int n;

	late = 1;
	assert_int_equal(vbm_collect_completions(c, wc, 4, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(wc[0].qp_num, 7);
}

TEST(test_collect__what_breaks)
{
	struct ibv_wc wc[1];
	int n = 5;

	refuse_poll = 1;
	assert_int_equal(vbm_collect_completions(c, wc, 1, &n), EIO);
	assert_int_equal(n, 0);
	refuse_poll = 0;
	refuse_arm = ENOMEM;
	assert_int_equal(vbm_collect_completions(c, wc, 1, &n), ENOMEM);
	assert_int_equal(vbm_collect_completions(NULL, wc, 1, &n), EINVAL);
	assert_int_equal(vbm_collect_completions(c, NULL, 1, &n), EINVAL);
	assert_int_equal(vbm_collect_completions(c, wc, 0, &n), EINVAL);
	assert_int_equal(vbm_collect_completions(c, wc, 1, NULL), EINVAL);
}

/* The numbers of a device are far apart or in a row, and both are found. */
TEST(test_find_qp__among_many)
{
	struct vbm_qp *qp = calloc(MANY, sizeof(*qp)), again = {0};
	size_t i;

	assert_null(vbm_find_qp(c, 1));
	for (i = 0; i < MANY; i++) {
		qp[i].local.qp_num = (uint32_t)(i < MANY / 2 ? i : i * 4096);
		assert_int_equal(vbm_completions_join(c, &qp[i]), 0);
	}
	for (i = 0; i < MANY; i++)
		assert_ptr_equal(vbm_find_qp(c, qp[i].local.qp_num), &qp[i]);
	assert_null(vbm_find_qp(c, MANY));
	/* The kernel may use a number again before the one who had it has left. */
	again.local.qp_num = 17;
	assert_int_equal(vbm_completions_join(c, &again), 0);
	vbm_completions_leave(c, &qp[17]);
	assert_ptr_equal(vbm_find_qp(c, 17), &again);
	vbm_completions_leave(c, &qp[17]);
	vbm_completions_leave(c, &again);
	for (i = 0; i < MANY; i++) {
		vbm_completions_leave(c, &qp[i]);
		assert_null(vbm_find_qp(c, qp[i].local.qp_num));
	}
	assert_null(vbm_find_qp(NULL, 1));
	free(qp);
}

static int allowed;

static bool allow(void)
{
	return allowed-- > 0;
}

/* With less memory the lists are longer, and nothing is lost. */
TEST(test_find_qp__without_memory)
{
	struct vbm_qp qp[130] = {0};
	size_t i, joined = 0;

	vbm_mem_set_filter(allow);
	for (i = 0; i < 2; i++) {
		allowed = (int)i;
		assert_int_equal(vbm_completions_join(c, &qp[0]), ENOMEM);
	}
	for (i = 0; i < 130; i++) {
		qp[i].local.qp_num = (uint32_t)i;
		allowed = i ? 1 : 2;
		joined += vbm_completions_join(c, &qp[i]) == 0;
	}
	vbm_mem_set_filter(NULL);
	assert_int_equal(joined, 130);
	for (i = 0; i < 130; i++) {
		assert_ptr_equal(vbm_find_qp(c, (uint32_t)i), &qp[i]);
		vbm_completions_leave(c, &qp[i]);
	}
}

TEST(test_create_completions__arguments)
{
	struct vbm_domain domain = {.context = &context}, *none = &domain;
	struct vbm_completions *made = c;
	struct vbm_error error;

	assert_int_equal(vbm_create_completions(NULL, none, 1, &error), EINVAL);
	assert_int_equal(vbm_create_completions(&made, NULL, 1, &error), EINVAL);
	assert_null(made);
	assert_int_equal(vbm_create_completions(&made, none, 0, &error), EINVAL);
	assert_non_null(strstr(error.msg, "at least 1 completion, not 0"));
	assert_int_equal(vbm_destroy_completions(NULL), 0);
	assert_int_equal(vbm_destroy_completions(c), EBUSY);
	assert_non_null(strstr(c->error.msg, "one queue pair"));
}
