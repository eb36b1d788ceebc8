/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/step.h"

#include <stddef.h>
#include <string.h>

#include "base/suggest.h"

static const struct {
	const char *name, *kind;
} object_name[] = {
	[OBJECT_NONE] = {NULL, "record"},
	[OBJECT_DEVICE_LIST] = {"devices", "device list"},
	[OBJECT_CONTEXT] = {"ctx", "device context"},
	[OBJECT_PD] = {"pd", "protection domain"},
	[OBJECT_CQ] = {"cq", "completion queue"},
	[OBJECT_MR] = {"mr", "memory region"},
	[OBJECT_QP] = {"qp", "queue pair"},
	[OBJECT_AH] = {"ah", "address handle"},
	[OBJECT_SRQ] = {"srq", "shared receive queue"},
	[OBJECT_MW] = {"mw", "memory window"},
	[OBJECT_ADDRINFO] = {"ai", "address list"},
	[OBJECT_CHANNEL] = {"channel", "event channel"},
	[OBJECT_CM_ID] = {"id", "connection identifier"},
	[OBJECT_RESOLVER] = {"resolver", "resolver"},
	[OBJECT_EVENT] = {"event", "connection event"},
	[OBJECT_ASYNC_EVENT] = {"async_event", "asynchronous event"},
	[OBJECT_COMP_CHANNEL] = {"comp", "completion channel"},
	[OBJECT_MANY] = {"many", "set of objects"},
	[OBJECT_PROGRAM] = {"program", "program"},
	[OBJECT_TCP_LISTENER] = {"tcp_listener", "TCP listener"},
	[OBJECT_TCP] = {"tcp", "TCP connection"},
	[OBJECT_WATCH] = {"watch", "watch of packets"},
	[OBJECT_RULE] = {"rule", "rule for packets"},
};

const char *step_default_name(enum object_kind kind)
{
	return object_name[kind].name;
}

const char *step_object_kind_name(enum object_kind kind)
{
	return object_name[kind].kind;
}

const struct step_kind *step_find(const char *name)
{
	const struct step_family *const *f;
	const struct step_kind *k;

	for (f = step_families; *f; f++)
		for (k = (*f)->steps; k->name; k++)
			if (strcmp(k->name, name) == 0)
				return k;
	return NULL;
}

const struct step_family *step_family_of(const struct step_kind *kind)
{
	const struct step_family *const *f;
	const struct step_kind *k;

	for (f = step_families; *f; f++)
		for (k = (*f)->steps; k->name; k++)
			if (k == kind)
				return *f;
	return NULL;
}

const struct param *step_param_find(const struct param *p, const char *name)
{
	for (; p && p->name; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

const struct field *step_field_find(const struct field *f, const char *name)
{
	for (; f && f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

bool step_is_timed(const struct step_kind *kind)
{
	return kind->waits || step_field_find(kind->fields, "elapsed_ms");
}

int step_deadline_ms(const struct step_kind *kind)
{
	return kind->deadline_ms ? kind->deadline_ms : STEP_DEADLINE_MS;
}

const char *step_suggest(const char *name)
{
	const struct step_family *const *f;
	const struct step_kind *k;
	struct suggestion s;

	suggest_init(&s, name);
	for (f = step_families; *f; f++)
		for (k = (*f)->steps; k->name; k++)
			suggest_offer(&s, k->name);
	return suggest_best(&s);
}
