/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/packet-file.h"

#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "codec/pcapng.h"
#include "event/read.h"

/* The number of the interface @name; the first packet of an interface makes its block. */
static uint32_t interface_of(struct packet_file *f, const char *name, struct text *out)
{
	const char *p = f->name.s;
	size_t len = strlen(name);
	uint32_t i;

	for (i = 0; i < f->interfaces; i++) {
		if (!strncmp(p, name, len) && p[len] == '\n')
			return i;
		p = strchr(p, '\n') + 1;
	}
	text_addf(&f->name, "%s\n", name);
	pcapng_interface(out, name, "as the interface of the host saw it");
	return f->interfaces++;
}

/* A guest chooses the name of the host, so an end of line is none. */
static char *interface_name(const struct value *event)
{
	char *name = xasprintf("%s %s", event_string(event, "host"), event_string(event, "way")), *p;

	for (p = name; *p; p++)
		if (*p == '\n')
			*p = '?';
	return name;
}

/* The steps' words, after what the packet is, so that a reader without a dissector understands it, too. */
static char *comment_of(const struct value *event)
{
	const char *note = event_string_or(event, "note", NULL);

	return note ? xasprintf("%s: %s", event_string(event, "text"), note) : NULL;
}

static enum pcapng_verdict verdict_of(const struct value *event)
{
	if (!value_get(event, "taken"))
		return PCAPNG_NO_VERDICT;
	return event_flag_or(event, "taken", false) ? PCAPNG_DROPPED : PCAPNG_PASSED;
}

void packet_file_add(struct packet_file *f, const struct value *event, struct text *out)
{
	auto_free char *name = interface_name(event), *comment = comment_of(event);
	size_t len = 0;
	auto_free void *data = base64_decode(event_string(event, "data"), &len);

	if (!data || len > UINT32_MAX / 2)
		return;
	if (!f->interfaces)
		pcapng_section(out, PACKAGE_STRING);
	/* The block of the interface comes before that of the packet. */
	pcapng_packet(out, &(struct pcapng_packet){
		.interface = interface_of(f, name, out),
		.ns = (uint64_t)event_integer(event, "ns"),
		.way = strcmp(event_string(event, "way"), "out") ? PCAPNG_IN : PCAPNG_OUT,
		.data = data, .kept = (uint32_t)len, .len = (uint32_t)len,
		.comment = comment,
		.verdict = verdict_of(event),
	});
}

void packet_file_fini(struct packet_file *f)
{
	text_fini(&f->name);
	*f = (struct packet_file){0};
}
