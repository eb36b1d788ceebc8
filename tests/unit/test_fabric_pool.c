/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: job/fabric-pool.c */
#include "cmocka_all.h"

#include <sys/mman.h>
#include <unistd.h>

#include "event/emit.h"
#include "fabric/fabric-priv.h"
#include "job/fabric-pool.h"
#include "job/job.h"
#include "../help/bare-fabric.h"

/*
 * A pool whose fabric the job made, without RDMA devices. Its namespaces and its own
 * fabrics need devices. A machine without any refuses them, and so shows whether the pool
 * asked.
 */
struct pooled {
	struct emitter emit;
	struct job job;
	struct fabric_pool pool;
	struct fabric *fabric;	/* the first; borrowed */
};

static int begin(void **state)
{
	static struct pooled p;

	p = (struct pooled){.fabric = bare_fabric(LAYOUT_NETNS, 2)};
	emit_init(&p.emit, memfd_create("events", MFD_CLOEXEC));
	p.job = (struct job){.emit = &p.emit, .layout = LAYOUT_NETNS, .trial = p.fabric};
	p.pool = fabric_pool_for(&p.job, false);
	*state = &p;
	return 0;
}

static int end(void **state)
{
	struct pooled *p = *state;

	fabric_pool_fini(&p->pool);
	assert_null(p->pool.fabric);
	close(p->emit.fd);
	return 0;
}

UNIT(.obstacle = bare_fabrics_obstacle, .all = {bare_fabrics_begin, bare_fabrics_end},
     .each = {begin, end});

static bool keeps_its_fabric(struct pooled *p, int hosts, bool routed)
{
	struct vbm_error err = {0};
	struct fabric *got = NULL;

	(void)fabric_pool_get(&p->pool, &(struct fabric_wish){.hosts = hosts, .routed = routed}, &got, &err);
	return p->pool.fabric == p->fabric;
}

TEST(test_pool__job__gives_its_fabric_away)
{
	struct pooled *p = *state;

	assert_ptr_equal(p->pool.fabric, p->fabric);
	assert_null(p->job.trial);
	assert_true(p->pool.unused);
	assert_int_equal(p->pool.layout, LAYOUT_NETNS);
}

TEST(test_pool__any_layout__stays_open)
{
	struct pooled *p = *state;
	struct job job = {.emit = &p->emit, .layout = LAYOUT_SHARED, .any_layout = true};
	struct fabric_pool pool = fabric_pool_for(&job, true);

	assert_int_equal(pool.layout, LAYOUT_AUTO);
	assert_true(pool.programs);
	assert_null(pool.fabric);
	assert_false(pool.unused);
	fabric_pool_fini(&pool);
}

TEST(test_pool__clean__serves_again)
{
	struct pooled *p = *state;

	assert_true(keeps_its_fabric(p, 2, false));
	assert_false(p->pool.unused);
	assert_true(keeps_its_fabric(p, 2, false));
}

TEST(test_pool__disturbed__does_not)
{
	struct pooled *p = *state;

	fabric_pool_put(&p->pool, true, NULL, NULL);
	assert_true(p->pool.dirty);
	assert_false(keeps_its_fabric(p, 2, false));
}

TEST(test_pool__other_hosts__need_another)
{
	struct pooled *p = *state;

	assert_false(keeps_its_fabric(p, 3, false));
}

TEST(test_pool__a_router__needs_another)
{
	struct pooled *p = *state;

	assert_false(keeps_its_fabric(p, 2, true));
}

/* A fabric that could not be made is not kept, and nothing of the earlier one is left. */
TEST(test_pool__put__without_a_fabric)
{
	struct pooled *p = *state;

	fabric_pool_fini(&p->pool);
	assert_null(p->pool.fabric);
	assert_false(p->pool.dirty);
	fabric_pool_put(&p->pool, true, NULL, NULL);
	assert_false(p->pool.dirty);
}

static void count_call(void *arg)
{
	++*(int *)arg;
}

/* Processes wait on the hosts for the next user as long as the hosts stay as they were. */
TEST(test_pool__hosts_that_stay_clean__keep_their_processes)
{
	struct pooled *p = *state;
	int left = 0;

	p->pool.leave = count_call;
	p->pool.leave_arg = &left;
	fabric_pool_put(&p->pool, false, NULL, NULL);
	assert_int_equal(left, 0);
	fabric_pool_put(&p->pool, true, NULL, NULL);
	assert_int_equal(left, 1);
	fabric_pool_fini(&p->pool);
	assert_int_equal(left, 2);
}
