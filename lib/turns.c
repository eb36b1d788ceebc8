/* SPDX-License-Identifier: BSD-2-Clause */
#include "channel.h"

/*
 * How many names are asked for at once. Each costs two datagrams, and a
 * server's socket holds a few hundred: a thousand questions in one burst would
 * mostly be lost, and found again only after seconds.
 */
#define AT_ONCE 200

/* A look-up may end at once and let the next in: go round, not down. */
static void pump(struct vbm_channel *ch)
{
	if (ch->pumping)
		return;
	ch->pumping = true;
	while (ch->asking < AT_ONCE && !ring_empty(&ch->waiting)) {
		struct node *n = ch->waiting.next;

		ring_remove(n);
		ch->asking++;
		vbm_request_lookup((void *)((char *)n - offsetof(struct request, waiting)));
	}
	ch->pumping = false;
}

void vbm_turns_enter(struct request *r)
{
	ring_add(&r->id->channel->waiting, &r->waiting);
	pump(r->id->channel);
}

/* Whether it was still waiting, or had its turn. */
void vbm_turns_leave(struct request *r)
{
	struct vbm_channel *ch = r->id->channel;

	if (!ring_empty(&r->waiting)) {
		ring_remove(&r->waiting);
		return;
	}
	ch->asking--;
	pump(ch);
}
