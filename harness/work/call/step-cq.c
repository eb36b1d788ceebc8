/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "call/scarcity.h"
#include "call/step-util.h"

/*
 * ibv_destroy_cq() waits until all events of the queue are acknowledged. A step
 * that calls it too early must end at its deadline, and the process must be able
 * to go on and acknowledge the events. So this call has its own thread.
 */
struct cq_ending {
	const struct target *target;
	struct ibv_cq *cq;
	pthread_t thread;
	int done_fd;		/* owned; readable when the call has returned */
	int ret;
};

static void *destroy_in_thread(void *arg)
{
	struct cq_ending *e = arg;

	e->ret = e->target->destroy_cq(e->cq);
	eventfd_write(e->done_fd, 1);
	return NULL;
}

static int ending_start(struct cq_object *c, struct vbm_error *err)
{
	struct cq_ending *e = xcalloc(1, sizeof(*e));
	int ret;

	e->target = c->base.target;
	e->cq = c->base.cq;
	e->done_fd = eventfd(0, EFD_CLOEXEC);
	ret = e->done_fd < 0 ? errno : pthread_create(&e->thread, NULL, destroy_in_thread, e);
	if (ret) {
		if (e->done_fd >= 0)
			close(e->done_fd);
		free(e);
		return vbm_fail(err, ret, "cannot start a thread for a call that may hang: %s", strerror(ret));
	}
	c->ending = e;
	return 0;
}

static int ending_finish(struct cq_object *c)
{
	struct cq_ending *e = c->ending;
	int ret;

	pthread_join(e->thread, NULL);
	ret = e->ret;
	close(e->done_fd);
	free(e);
	c->ending = NULL;
	return ret;
}

/* *@ret is the call's return value. -ETIMEDOUT when the call does not return in time. */
static int destroy_and_wait(struct step_ctx *ctx, struct cq_object *c, int *ret,
			    struct vbm_error *err)
{
	if (!c->ending && ending_start(c, err) < 0)
		return -err->code;
	if (step_await(ctx, c->ending->done_fd, "return from ibv_destroy_cq", err) < 0)
		return -err->code;
	*ret = ending_finish(c);
	return 0;
}

void cq_acknowledge(struct cq_object *c, unsigned events)
{
	c->events -= events < c->events ? events : c->events;
	c->base.target->ack_cq_events(c->base.cq, events);
}

static int cq_release(struct object *o)
{
	struct cq_object *c = (struct cq_object *)o;
	int ret;

	if (c->events)
		cq_acknowledge(c, c->events);
	ret = c->ending ? ending_finish(c) : o->target->destroy_cq(o->cq);
	if (ret == 0 && c->channel && !c->borrowed_channel)
		o->target->destroy_comp_channel(c->channel);
	return ret;
}

/*
 * @own: makes a new channel; otherwise uses @shared, which may be NULL. @args: arguments of
 * scarcity.h for ibv_create_cq(), or NULL.
 */
static struct cq_object *make_on(const struct target *t, struct ibv_context *context, int cqe, bool own,
				 struct ibv_comp_channel *shared, int vector, const struct value *args)
{
	struct cq_object *o = xcalloc(1, sizeof(*o));
	struct scarcity scarcity;
	int code;

	o->base.release = cq_release;
	o->channel = shared;
	o->borrowed_channel = shared != NULL;
	if (own) {
		o->channel = t->create_comp_channel(context);
		if (!o->channel)
			goto fail;
		/* Steps wait with poll(2), so a read must not block. */
		fcntl(o->channel->fd, F_SETFL, fcntl(o->channel->fd, F_GETFL) | O_NONBLOCK);
	}
	scarcity_begin(&scarcity, args);
	o->base.cq = t->create_cq(context, cqe, o, o->channel, vector);
	scarcity_end(&scarcity);
	if (o->base.cq)
		return o;
	code = errno;
	if (own)
		t->destroy_comp_channel(o->channel);
	errno = code;
fail:
	code = errno;
	free(o);
	errno = code;
	return NULL;
}

struct cq_object *cq_make(const struct target *t, struct ibv_context *context,
			  int cqe, bool channel, int vector)
{
	return make_on(t, context, cqe, channel, NULL, vector, NULL);
}

STEP(run_create_cq)
{
	struct ibv_context *context = arg_handle(ctx, args, "ctx", OBJECT_CONTEXT, err);
	struct object *comp;
	struct cq_object *o;

	if (!context || arg_object_opt(ctx, args, "comp", OBJECT_COMP_CHANNEL, &comp, err) < 0)
		return -err->code;
	call_begins(ctx);
	o = make_on(ctx->target, context, (int)value_get_int(args, "cqe", 64),
		    !comp && value_get_bool(args, "channel", true),
		    comp ? comp->comp : NULL,
		    (int)value_get_int(args, "comp_vector", 0), args);
	put_pointer(result, o);
	if (!o)
		return 0;
	value_set_int(result, "cqe", o->base.cq->cqe);
	value_set_bool(result, "same_context", o->base.cq->context == context);
	value_set_bool(result, "same_cq_context", o->base.cq->cq_context == o);
	step_keep_object(ctx, &o->base, OBJECT_CQ);
	return 0;
}

STEP(run_resize_cq)
{
	struct ibv_cq *cq = arg_handle(ctx, args, "cq", OBJECT_CQ, err);

	if (!cq)
		return -err->code;
	call_begins(ctx);
	put_errval(result, ctx->target->resize_cq(cq, (int)value_get_int(args, "cqe", 64)));
	value_set_int(result, "cqe", cq->cqe);
	return 0;
}

STEP(run_destroy_cq)
{
	struct object *o = arg_object(ctx, args, "cq", OBJECT_CQ, err);
	struct cq_object *c = (struct cq_object *)o;
	int ret = 0;

	if (!o)
		return -err->code;
	call_begins(ctx);
	if (!c->events && !c->ending)
		ret = ctx->target->destroy_cq(o->cq);
	else if (destroy_and_wait(ctx, c, &ret, err) < 0)
		return -err->code;
	put_errval(result, ret);
	if (ret == 0) {
		if (c->channel && !c->borrowed_channel)
			ctx->target->destroy_comp_channel(c->channel);
		objects_forget(ctx->objects, o);
	}
	return 0;
}

#define F_CQE F_INT("cqe", "entries that the queue has")

static const struct param create_params[] = {
	P_CTX,
	P_INT("cqe", INT32_MIN, INT32_MAX, "requested entries; default 64"),
	P_BOOL("channel", "false makes the queue without a completion channel, so only poll_cq with wait: "
			"false works; default true"),
	P_OBJECT("comp", OBJECT_COMP_CHANNEL, "an existing completion channel for the queue; default: a new one"),
	P_INT("comp_vector", INT32_MIN, INT32_MAX, "completion vector; default 0"),
	P_NO_MEMORY,
	{NULL},
};
static const struct field create_fields[] = {
	F_POINTER,
	F_CQE,
	F_BOOL("same_context", "whether the queue points to the context that it was made with"),
	F_BOOL("same_cq_context", "whether the queue has the caller's context pointer"),
	{NULL},
};
static const struct param resize_params[] = {
	P_CQ,
	P_INT("cqe", INT32_MIN, INT32_MAX, "requested entries; default 64"),
	{NULL},
};
static const struct field resize_fields[] = {F_ERRVAL, F_CQE, {NULL}};
static const struct param cq_params[] = {P_CQ, {NULL}};
static const struct field destroy_fields[] = {F_ERRVAL, F_ELAPSED, {NULL}};

static const struct step_kind steps[] = {
	{.name = "create_cq", .call = "ibv_create_cq(3)",
	 .doc = "Create a completion queue, by default with a new completion channel.",
	 .params = create_params, .fields = create_fields, .makes = OBJECT_CQ, .ok = 1,
	 .run = run_create_cq},
	{.name = "resize_cq", .call = "ibv_resize_cq(3)", .doc = "Resize a completion queue.",
	 .params = resize_params, .fields = resize_fields, .run = run_resize_cq},
	{.name = "destroy_cq", .call = "ibv_destroy_cq(3)",
	 .doc = "Destroy a completion queue. After a time-out, a second step waits for the same call.",
	 .params = cq_params, .fields = destroy_fields, .waits = true, .run = run_destroy_cq},
	{NULL},
};

const struct step_family family_cq = {"cq", "Completion queues.", steps, .only_objects = true};
