/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion queues, their channels and events. */
#include "tests/mutants/mutant-fields.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct mutant_call c = {.name = "ibv_create_comp_channel"};
	struct ibv_comp_channel *channel;

	while (mutant_begin(&c))
		c.ret = (intptr_t)NEXT(ibv_create_comp_channel)(context);
	channel = (struct ibv_comp_channel *)c.ret;
	if (channel && mutant_on("channel-other-context"))
		channel->context = mutant_twin(context);
	return (struct ibv_comp_channel *)mutant_end(&c);
}

/* How many events of the process are not acknowledged. */
static unsigned int unacknowledged;

/*
 * An event that the kernel did not make. While real_fd is open, the channel's descriptor is a
 * pipe with that event, and real_fd is the channel.
 */
static int real_fd = -1;

void mutant_make_event(struct ibv_cq *cq)
{
	uint64_t handle = (uintptr_t)cq;
	int ends[2];

	if (!cq->channel || real_fd >= 0 || pipe(ends) < 0)
		return;
	if (write(ends[1], &handle, sizeof(handle)) == sizeof(handle)) {
		real_fd = dup(cq->channel->fd);
		dup2(ends[0], cq->channel->fd);
	}
	close(ends[0]);
	close(ends[1]);
}

static bool take_made_event(struct ibv_comp_channel *channel)
{
	if (real_fd < 0)
		return false;
	dup2(real_fd, channel->fd);
	close(real_fd);
	real_fd = -1;
	return true;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	struct mutant_call c = {.name = "ibv_create_cq",
				.in = {ARG(cqe), ARG(cq_context), ARG(channel), ARG(comp_vector)}};
	struct ibv_cq *cq;

	while (mutant_begin(&c)) {
		c.ret = (intptr_t)NEXT(ibv_create_cq)(context, cqe, cq_context, channel, comp_vector);
		c.out[0] = (struct mutant_part){(void *)c.ret, mutant_cq};
	}
	cq = (struct ibv_cq *)c.ret;
	if (cq && mutant_on("create-cq-other-context"))
		cq->context = mutant_twin(context);
	if (cq && mutant_on("cq-armed-at-once"))
		ibv_req_notify_cq(cq, 0);
	return (struct ibv_cq *)mutant_end(&c);
}

int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	struct mutant_call c = {.name = "ibv_resize_cq", .in = {ARG(cqe)}, .out = {{cq, mutant_cq}}};
	struct ibv_wc lost;

	while (mutant_begin(&c))
		c.ret = NEXT(ibv_resize_cq)(cq, cqe);
	if (mutant_on("resize-cq-loses-one"))
		ibv_poll_cq(cq, 1, &lost);
	return (int)mutant_end(&c);
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct mutant_call c = {.name = "ibv_destroy_cq"};
	struct ibv_context *context = cq->context;

	if (unacknowledged && mutant_on("destroy-cq-does-not-wait"))
		NEXT(ibv_ack_cq_events)(cq, unacknowledged);
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
	unacknowledged += c.ret == 0;
	if (!take_made_event(channel) && c.ret == 0 && mutant_on("cq-event-twice"))
		mutant_make_event(*cq);
	return (int)mutant_end(&c);
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)
{
	struct mutant_call c = {.name = "ibv_ack_cq_events", .in = {ARG(nevents)}};

	while (mutant_begin(&c))
		NEXT(ibv_ack_cq_events)(cq, nevents);
	unacknowledged -= nevents;
	mutant_end(&c);
}
