/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices, their attributes, GIDs, protection domains and asynchronous events. */
#include "tests/mutants/mutant-fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct mutant_field num_fields[] = {{"num", 0, sizeof(int)}, {NULL, 0, 0}};
static const struct mutant_field first_fields[] = {{"first", 0, sizeof(void *)}, {NULL, 0, 0}};
static const struct mutant_field last_fields[] = {{"last", 0, sizeof(void *)}, {NULL, 0, 0}};

/* A stack that looks for devices only once would answer this. */
static struct ibv_device **stale_list(struct ibv_device **list, int *count)
{
	static struct ibv_device *old[16];
	static int old_count = -1;
	struct ibv_device **copy;

	if (old_count < 0 && *count < 16) {
		memcpy(old, list, (size_t)*count * sizeof(*old));
		old_count = *count;
		return list;
	}
	*count = old_count;
	copy = calloc((size_t)old_count + 1, sizeof(*copy));
	if (copy)
		memcpy(copy, old, (size_t)old_count * sizeof(*copy));
	return copy;
}

/* "first" and "last" are entries of the list, "count" is their number before the NULL. */
struct ibv_device **ibv_get_device_list(int *num)
{
	struct mutant_call c = {.name = "ibv_get_device_list", .in = {ARG(num)}};
	struct ibv_device **list = NULL;
	int count = 0;

	while (mutant_begin(&c)) {
		list = NEXT(ibv_get_device_list)(num);
		c.ret = (intptr_t)list;
	}
	while (list && list[count])
		count++;
	if (list && mutant_on("device-list-stale")) {
		list = stale_list(list, &count);
		c.ret = (intptr_t)list;
		if (num)
			*num = count;
	}
	c.out[0] = (struct mutant_part){num, num_fields};
	if (count > 0) {
		c.out[1] = (struct mutant_part){&list[0], first_fields};
		c.out[2] = (struct mutant_part){&list[count - 1], last_fields};
	}
	if (!list && mutant_on("device-list-empty"))
		c.ret = (intptr_t)calloc(1, sizeof(*list));
	return (struct ibv_device **)mutant_end(&c);
}

void ibv_free_device_list(struct ibv_device **list)
{
	struct mutant_call c = {.name = "ibv_free_device_list"};

	/* Two lists have the same devices, so one of them stays. */
	while (mutant_begin(&c))
		if (!mutant_on("device-list-stale"))
			NEXT(ibv_free_device_list)(list);
	mutant_end(&c);
}

/* ibv_close_device() needs this one, whatever a mutant makes of it. */
static struct ibv_device *opened;

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct mutant_call c = {.name = "ibv_open_device"};

	while (mutant_begin(&c)) {
		c.ret = (intptr_t)NEXT(ibv_open_device)(device);
		mutant_context((struct ibv_context *)c.ret);
		c.out[0] = (struct mutant_part){(void *)c.ret, mutant_context_struct};
		opened = c.ret ? ((struct ibv_context *)c.ret)->device : NULL;
	}
	return (struct ibv_context *)mutant_end(&c);
}

int ibv_close_device(struct ibv_context *context)
{
	struct mutant_call c = {.name = "ibv_close_device"};

	if (mutant_on("open-device-other"))
		context->device = opened;
	while (mutant_begin(&c))
		c.ret = NEXT(ibv_close_device)(context);
	return (int)mutant_end(&c);
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	struct mutant_call c = {.name = "ibv_query_device"};

	while (mutant_begin(&c)) {
		c.ret = NEXT(ibv_query_device)(context, attr);
		c.out[0] = (struct mutant_part){c.ret ? NULL : attr, mutant_device_attr};
	}
	if (!c.ret && mutant_on("max-qp-wr-half"))
		attr->max_qp_wr /= 2;
	if (!c.ret && mutant_on("max-sge-half"))
		attr->max_sge /= 2;
	if (!c.ret && mutant_on("max-cqe-half"))
		attr->max_cqe /= 2;
	return (int)mutant_end(&c);
}

struct ibv_context *mutant_twin(struct ibv_context *context)
{
	struct verbs_context *v = verbs_get_ctx(context);
	static struct verbs_context twin;

	if (!v)
		abort();
	twin = *v;
	return &twin.context;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct mutant_call c = {.name = "ibv_alloc_pd"};
	struct ibv_pd *pd;

	while (mutant_begin(&c))
		c.ret = (intptr_t)NEXT(ibv_alloc_pd)(context);
	pd = (struct ibv_pd *)c.ret;
	if (pd && mutant_on("alloc-pd-other-context"))
		pd->context = mutant_twin(context);
	return (struct ibv_pd *)mutant_end(&c);
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	struct mutant_call c = {.name = "ibv_dealloc_pd"};
	struct ibv_context *context = pd->context;

	while (mutant_begin(&c))
		c.ret = NEXT(ibv_dealloc_pd)(pd);
	if (c.ret == 0 && mutant_on("dealloc-pd-leaks"))
		NEXT(ibv_alloc_pd)(context);
	return (int)mutant_end(&c);
}

/* The last event, and the one that the program was told. */
static struct ibv_async_event true_event, told_event;

/*
 * Place "drop": with 1 the event is acknowledged here, and the program finds none. Where there
 * is none, an event that is all zero stands ready: with "ret = 0" the program gets it.
 */
int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct mutant_call c = {.name = "ibv_get_async_event"};
	struct ibv_async_event made_up = {0};
	int drop = 0, none = 0;

	c.out[1] = (struct mutant_part)ARG(drop);
	while (mutant_begin(&c)) {
		none = NEXT(ibv_get_async_event)(context, event);
		true_event = none ? made_up : *event;
		c.ret = none;
		c.out[0] = (struct mutant_part){none ? &made_up : event, mutant_async_event};
	}
	mutant_end(&c);
	if (none && c.ret == 0)
		*event = made_up;
	told_event = *event;
	if (c.ret || !drop)
		return (int)c.ret;
	NEXT(ibv_ack_async_event)(&true_event);
	errno = EAGAIN;
	return -1;
}

/* An event that was changed is acknowledged as what it was; one that was made up is not. */
void ibv_ack_async_event(struct ibv_async_event *event)
{
	struct mutant_call c = {.name = "ibv_ack_async_event"};
	static const struct ibv_async_event made_up;

	if (memcmp(event, &told_event, sizeof(*event)) == 0)
		event = &true_event;
	if (memcmp(event, &made_up, sizeof(*event)) == 0)
		return;
	while (mutant_begin(&c))
		NEXT(ibv_ack_async_event)(event);
	mutant_end(&c);
}
