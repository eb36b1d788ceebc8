/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices, their attributes, GIDs, protection domains and completion queues. */
#include "tests/mutants/mutant-fields.h"

#include <errno.h>

PASS(struct ibv_device **, ibv_get_device_list, (int *num), (num))
PASS(const char *, ibv_get_device_name, (struct ibv_device *device), (device))
PASS(__be64, ibv_get_device_guid, (struct ibv_device *device), (device))
PASS_VOID(ibv_free_device_list, (struct ibv_device **list), (list))

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct mutant_call c = {.name = "ibv_open_device"};

	while (mutant_begin(&c)) {
		c.ret = (intptr_t)NEXT(ibv_open_device)(device);
		mutant_context((struct ibv_context *)c.ret);
		c.out[0] = (struct mutant_part){(void *)c.ret, mutant_context_struct};
	}
	return (struct ibv_context *)mutant_end(&c);
}

PASS(int, ibv_close_device, (struct ibv_context *context), (context))

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

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	struct mutant_call c = {.name = "ibv_query_gid", .in = {ARG(port), ARG(index)}};

	while (mutant_begin(&c)) {
		c.ret = NEXT(ibv_query_gid)(context, port, index, gid);
		c.out[0] = (struct mutant_part){c.ret ? NULL : gid, mutant_gid};
	}
	return (int)mutant_end(&c);
}

int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
	struct mutant_call c = {.name = "ibv_query_pkey", .in = {ARG(port), ARG(index)}, .out = {ARG(*pkey)}};

	while (mutant_begin(&c))
		c.ret = NEXT(ibv_query_pkey)(context, port, index, pkey);
	return (int)mutant_end(&c);
}

PASS(struct ibv_pd *, ibv_alloc_pd, (struct ibv_context *context), (context))

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

PASS(struct ibv_comp_channel *, ibv_create_comp_channel, (struct ibv_context *context), (context))
PASS(int, ibv_destroy_comp_channel, (struct ibv_comp_channel *channel), (channel))

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	struct mutant_call c = {.name = "ibv_create_cq",
				.in = {ARG(cqe), ARG(cq_context), ARG(channel), ARG(comp_vector)}};

	while (mutant_begin(&c)) {
		c.ret = (intptr_t)NEXT(ibv_create_cq)(context, cqe, cq_context, channel, comp_vector);
		c.out[0] = (struct mutant_part){(void *)c.ret, mutant_cq};
	}
	return (struct ibv_cq *)mutant_end(&c);
}

int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	struct mutant_call c = {.name = "ibv_resize_cq", .in = {ARG(cqe)}, .out = {{cq, mutant_cq}}};

	while (mutant_begin(&c))
		c.ret = NEXT(ibv_resize_cq)(cq, cqe);
	return (int)mutant_end(&c);
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct mutant_call c = {.name = "ibv_destroy_cq"};
	struct ibv_context *context = cq->context;

	while (mutant_begin(&c))
		c.ret = NEXT(ibv_destroy_cq)(cq);
	if (c.ret == 0 && mutant_on("destroy-cq-leaks"))
		NEXT(ibv_create_cq)(context, 1, NULL, NULL, 0);
	return (int)mutant_end(&c);
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	struct mutant_call c = {.name = "ibv_get_cq_event", .out = {ARG(*cq), ARG(*cq_context)}};

	while (mutant_begin(&c))
		c.ret = NEXT(ibv_get_cq_event)(channel, cq, cq_context);
	return (int)mutant_end(&c);
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)
{
	struct mutant_call c = {.name = "ibv_ack_cq_events", .in = {ARG(nevents)}};

	while (mutant_begin(&c))
		NEXT(ibv_ack_cq_events)(cq, nevents);
	mutant_end(&c);
}

/*
 * Place "drop": with 1 the event is acknowledged here, and the program finds none. Where there
 * is none, an event that is all zero stands ready: with "ret = 0" the program gets it.
 */
int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct mutant_call c = {.name = "ibv_get_async_event"};
	struct ibv_async_event made_up = {0};
	int drop = 0, none = 0;

	while (mutant_begin(&c)) {
		none = NEXT(ibv_get_async_event)(context, event);
		c.ret = none;
		c.out[0] = (struct mutant_part){none ? &made_up : event, mutant_async_event};
		c.out[1] = (struct mutant_part)ARG(drop);
	}
	mutant_end(&c);
	if (none && c.ret == 0)
		*event = made_up;
	if (c.ret || !drop)
		return (int)c.ret;
	NEXT(ibv_ack_async_event)(event);
	errno = EAGAIN;
	return -1;
}

PASS_VOID(ibv_ack_async_event, (struct ibv_async_event *event), (event))
