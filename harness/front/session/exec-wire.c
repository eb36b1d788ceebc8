/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-wire.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"

void exec_wire_add(struct exec_wire *w, const struct value *event)
{
	GROW(w->host, w->count);
	w->host[w->count++] = (struct exec_wire_host){
		.name = xstrdup(event_string(event, "host")),
		.received = event_integer(event, "received"),
		.arrived = event_integer(event, "arrived"),
		.has_capture = event_has(event, "captured"),
		.captured = event_integer_or(event, "captured", 0),
		.lost = event_integer_or(event, "lost", 0),
		.cable = event_has(event, "cable") ? xstrdup(event_string_or(event, "cable", "")) : NULL,
		.dropped = event_integer_or(event, "dropped", 0),
	};
}

void exec_wire_table(const struct exec_wire *w, struct text *out)
{
	const struct exec_wire_host *h;
	size_t i;

	text_add(out, "host\trdma_received\troce_arrived\tcaptured\tlost\tdropped\tcable\n");
	for (i = 0; i < w->count; i++) {
		h = &w->host[i];
		text_addf(out, "%s\t%" PRId64 "\t%" PRId64, h->name, h->received, h->arrived);
		if (h->has_capture)
			text_addf(out, "\t%" PRId64 "\t%" PRId64, h->captured, h->lost);
		else
			text_add(out, "\t-\t-");
		if (h->cable)
			text_addf(out, "\t%" PRId64 "\t%s\n", h->dropped, h->cable);
		else
			text_add(out, "\t-\t-\n");
	}
}

static bool anything_crossed(const struct exec_wire *w)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (w->host[i].arrived)
			return true;
	return false;
}

void exec_wire_notes(const struct exec_wire *w, struct text *out)
{
	const char *head = anything_crossed(w) ? "" : "no RDMA packet crossed the cable: ";
	const struct exec_wire_host *h;
	size_t i;

	for (i = 0; i < w->count; i++) {
		h = &w->host[i];
		if (h->received && !h->arrived)
			text_addf(out, "%sthe device of host %s sent itself all of the %" PRId64
				  " RDMA packets that it received\n", head, h->name, h->received);
	}
	for (i = 0; i < w->count; i++) {
		h = &w->host[i];
		if (h->lost)
			text_addf(out, "the capture lacks %" PRId64 " of %" PRId64 " packets of host "
				  "%s: they came faster than they could be written\n", h->lost,
				  h->lost + h->captured, h->name);
	}
}

void exec_wire_fini(struct exec_wire *w)
{
	size_t i;

	for (i = 0; i < w->count; i++) {
		free(w->host[i].name);
		free(w->host[i].cable);
	}
	free(w->host);
	*w = (struct exec_wire){0};
}
