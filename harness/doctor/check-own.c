/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "doctor/doctor.h"
#include "fabric/fabric.h"
#include "fabric/found.h"
#include "names/abilities.h"
#include "net/nl.h"

/* The RDMA devices that this machine has, of any driver, and what the suite can do with each. */

struct own_devices {
	struct rdma_dev *all;	/* owned */
	size_t count;
};

static void note_device(const struct rdma_dev *dev, void *arg)
{
	struct own_devices *s = arg;

	if (fabric_run_of_rdma(dev->name) >= 0)
		return;
	GROW(s->all, s->count);
	s->all[s->count++] = *dev;
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);
	const char *at = words;

	while ((at = strstr(at, word))) {
		if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
		at += len;
	}
	return false;
}

void doctor_add_lacks(struct text *out, const char *can)
{
	const char *separator = "; scenarios are skipped that need can=";
	int i;

	for (i = 0; i < ABILITY_COUNT; i++) {
		if (has_word(can, ability_name((enum ability)i)))
			continue;
		text_addf(out, "%s%s", separator, ability_name((enum ability)i));
		separator = ", ";
	}
}

/* Whether a run can use the device. */
static bool describe(struct text *out, const char *name)
{
	auto_value struct value *wanted = value_map();
	auto_value struct value *found = NULL;
	struct fabric *fabric = NULL;
	struct vbm_error err = {0};

	value_set_string(wanted, "name", "a");
	value_set_string(wanted, "device", name);
	if (found_fabric(&fabric, &(struct found_options){.wanted = wanted}, &err) < 0 || found_describe(fabric, &found, &err) < 0) {
		text_addf(out, "%s cannot be used with --hosts: %s", name, err.msg);
		fabric_free(fabric);
		return false;
	}
	text_addf(out, "%s (%s) on %s works with --hosts", name, value_get_string(found, "driver", "?"),
		  value_get_string(found, "netdev", "?"));
	doctor_add_lacks(out, value_get_string(found, "can", ""));
	fabric_free(fabric);
	return true;
}

void check_own(struct doctor *doctor, struct doctor_finding *finding)
{
	auto_text struct text out = {0};
	struct own_devices s = {0};
	struct netlink *nl;
	struct vbm_error err;
	bool works = true;
	size_t i;

	(void)doctor;
	if (netlink_open(&nl, -1, &err) == 0) {
		netlink_rdma_each(nl, note_device, &s, &err);
		netlink_close(nl);
	}
	for (i = 0; i < s.count; i++) {
		text_add(&out, i ? ". " : "");
		works &= describe(&out, s.all[i].name);
	}
	free(s.all);
	if (s.count)
		doctor_found(finding, works ? DOCTOR_OK : DOCTOR_WARN, NULL, "%.600s", out.s);
	else
		doctor_found(finding, DOCTOR_SKIP, NULL, "this machine has no RDMA device of its own");
}
