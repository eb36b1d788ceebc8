/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <string.h>

#include "call/step-util.h"
#include "names/consts.h"
#include "names/host.h"

/* Calls of two threads of one process at the same time. */

struct race {
	const struct target *target;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_qp_init_attr init;
	uint8_t port;
	int times;
	pthread_barrier_t start;
};

/* A thread calls this again and again. Returns 0 or an errno value; -1: an answer that no order of the calls can give. */
typedef int (*race_call)(struct race *r);

static int reg_dereg(struct race *r)
{
	char bytes[64] = {0};
	struct ibv_mr *mr;

	errno = 0;
	mr = r->target->reg_mr(r->pd, bytes, sizeof(bytes), IBV_ACCESS_LOCAL_WRITE);
	if (!mr)
		return step_code_of(-1);
	if (mr->addr != bytes)
		return -1;
	return r->target->dereg_mr(mr);
}

static int make_cq(struct race *r)
{
	struct ibv_cq *cq;

	errno = 0;
	cq = r->target->create_cq(r->pd->context, 1, NULL, NULL, 0);
	return cq ? r->target->destroy_cq(cq) : step_code_of(-1);
}

static int make_qp(struct race *r)
{
	struct ibv_qp_init_attr init = r->init;
	struct ibv_qp *qp;

	errno = 0;
	qp = r->target->create_qp(r->pd, &init);
	return qp ? r->target->destroy_qp(qp) : step_code_of(-1);
}

static int init_reset(struct race *r)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = r->port};
	int ret = r->target->modify_qp(r->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);

	attr.qp_state = IBV_QPS_RESET;
	return ret ? ret : r->target->modify_qp(r->qp, &attr, IBV_QP_STATE);
}

static int query_state(struct race *r)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int ret = r->target->query_qp(r->qp, &attr, IBV_QP_STATE, &init);

	if (ret)
		return ret;
	return attr.qp_state == IBV_QPS_RESET || attr.qp_state == IBV_QPS_INIT ? 0 : -1;
}

static int poll_nothing(struct race *r)
{
	struct ibv_wc wc;

	return ibv_poll_cq(r->cq, 1, &wc) == 0 ? 0 : -1;
}

static int ask_for_event(struct race *r)
{
	return ibv_req_notify_cq(r->cq, 0);
}

enum race_pair { RACE_REGIONS, RACE_QUEUES, RACE_STATE, RACE_COMPLETIONS };

static const struct {
	race_call first, second;
} pairs[] = {
	[RACE_REGIONS] = {reg_dereg, reg_dereg},
	[RACE_QUEUES] = {make_cq, make_qp},
	[RACE_STATE] = {init_reset, query_state},
	[RACE_COMPLETIONS] = {poll_nothing, ask_for_event},
};

static const struct const_entry pair_entries[] = {
	{"REGIONS", RACE_REGIONS},
	{"QUEUES", RACE_QUEUES},
	{"STATE", RACE_STATE},
	{"COMPLETIONS", RACE_COMPLETIONS},
};

static const struct const_set pair_set = {
	.name = "races",
	.prefix = "",
	.entry = pair_entries,
	.count = ARRAY_SIZE(pair_entries),
};

struct racer {
	struct race *race;
	race_call call;
	int failed, odd;	/* how many calls failed, and the first error */
	pthread_t thread;
};

static void *race_on(void *arg)
{
	struct racer *r = arg;
	int i, ret;

	pthread_barrier_wait(&r->race->start);
	for (i = 0; i < r->race->times; i++) {
		ret = r->call(r->race);
		r->failed += ret != 0;
		if (ret && !r->odd)
			r->odd = ret;
	}
	return NULL;
}

/* The second thread is new; the first one is that of the caller. */
static int race_both(struct racer *both, struct vbm_error *err)
{
	int ret = pthread_barrier_init(&both->race->start, NULL, 2);

	if (ret == 0) {
		ret = pthread_create(&both[1].thread, NULL, race_on, &both[1]);
		if (ret == 0) {
			race_on(&both[0]);
			pthread_join(both[1].thread, NULL);
		}
		pthread_barrier_destroy(&both->race->start);
	}
	return ret ? vbm_fail(err, ret, "cannot start a second thread: %s", strerror(ret)) : 0;
}

/* The queue pair that both threads use. It is nobody else's, so that no step has to know its state. */
static int race_args(struct step_ctx *ctx, const struct value *args, struct race *r, struct vbm_error *err)
{
	r->pd = arg_handle(ctx, args, "pd", OBJECT_PD, err);
	r->cq = r->pd ? arg_handle(ctx, args, "cq", OBJECT_CQ, err) : NULL;
	if (!r->cq)
		return -err->code;
	r->target = ctx->target;
	r->port = (uint8_t)ctx->host->port;
	r->times = (int)value_get_int(args, "times", 200);
	r->init = (struct ibv_qp_init_attr){
		.send_cq = r->cq, .recv_cq = r->cq, .qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
	};
	r->qp = r->target->create_qp(r->pd, &r->init);
	return r->qp ? 0 : vbm_fail(err, errno ? errno : EIO, "cannot make a queue pair for the calls");
}

STEP(run_race)
{
	int64_t pair = value_get_int(args, "calls", 0);
	struct race r = {0};
	struct racer both[2] = {{.race = &r}, {.race = &r}};
	int ret;

	if (pair < 0 || pair >= (int64_t)ARRAY_SIZE(pairs))
		return vbm_fail(err, EINVAL, "calls: there is no pair with the number %lld", (long long)pair);
	if (race_args(ctx, args, &r, err) < 0)
		return -err->code;
	both[0].call = pairs[pair].first;
	both[1].call = pairs[pair].second;
	ret = race_both(both, err);
	put_errval(result, r.target->destroy_qp(r.qp));
	value_set_int(result, "failed", both[0].failed + both[1].failed);
	value_set_int(result, "odd", both[0].odd ? both[0].odd : both[1].odd);
	return ret;
}

#define DEADLINE_RACE_MS 10000

static const struct param race_params[] = {
	{.name = "calls", .type = PARAM_CONST, .set = &pair_set, .required = true,
	 .doc = "REGIONS: both threads register and deregister; QUEUES: one makes and destroys completion queues, one queue "
		"pairs; STATE: one moves a queue pair to INIT and RESET, one reads its state; COMPLETIONS: one polls an empty "
		"completion queue, one asks for its event"},
	P_OBJECT("pd", OBJECT_PD, "the protection domain; default: pd, or the only one"),
	P_OBJECT("cq", OBJECT_CQ, "the completion queue; default: cq, or the only one"),
	P_INT("times", 1, 1000000, "how often each thread makes its calls; default 200"),
	{NULL},
};
static const struct field race_fields[] = {
	F_CONST("return", &const_errno, "0, or the errno value of the call that destroyed the step's own queue pair"),
	F_INT("failed", "how many calls of both threads failed"),
	F_CONST("odd", &const_errno, "the first error, or OK; -1: an answer that no order of the calls can give"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "race", .call = "ibv_query_qp(3)",
	 .doc = "Make calls in two threads of this process at the same time, again and again.",
	 .params = race_params, .fields = race_fields, .deadline_ms = DEADLINE_RACE_MS, .run = run_race},
	{NULL},
};

const struct step_family family_race = {"race", "Calls in two threads at the same time.", steps};
