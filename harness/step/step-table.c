/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/step.h"

#include <stddef.h>
#include <string.h>

#include "base/suggest.h"
#include "step/step-util.h"

const struct step_family *const step_families[] = {
	&family_resolve,
	&family_async,
	&family_dns,
	&family_acm,
	&family_libc,
	&family_device,
	&family_pd,
	&family_cq,
	&family_cq_event,
	&family_mr,
	&family_mw,
	&family_srq,
	&family_qp,
	&family_ah,
	&family_mcast,
	&family_many,
	&family_data,
	&family_batch,
	&family_cm,
	&family_conn,
	&family_cm_option,
	&family_cm_mcast,
	&family_ep,
	&family_event,
	&family_link,
	&family_packet,
	&family_counter,
	&family_advise,
	&family_process,
	&family_program,
	&family_host,
	NULL,
};

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
	[OBJECT_MANY] = {"many", "set of many"},
	[OBJECT_PROGRAM] = {"program", "program"},
};

const char *step_default_name(enum object_kind kind)
{
	return object_name[kind].name;
}

const char *step_object_kind_name(enum object_kind kind)
{
	return object_name[kind].kind;
}
