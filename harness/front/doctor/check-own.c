/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/match.h"
#include "base/text.h"
#include "base/value.h"
#include "doctor/doctor.h"
#include "machines/found.h"
#include "names/abilities.h"

/* The RDMA devices that this machine has, of any driver, and what the suite can do with each. */

void doctor_add_lacks(struct text *out, const char *can)
{
	const char *separator = "; scenarios are skipped that need can=";
	int i;

	for (i = 0; i < ABILITY_COUNT; i++) {
		if (match_word(can, ability_name((enum ability)i)))
			continue;
		text_addf(out, "%s%s", separator, ability_name((enum ability)i));
		separator = ", ";
	}
}

/* Whether a run can use the device. */
static bool describe_device(struct text *out, const struct value *d)
{
	const char *name = value_get_string(d, "device", "?"), *error = value_get_string(d, "error", NULL);

	if (error) {
		text_addf(out, "%s cannot be used with --hosts: %s", name, error);
		return false;
	}
	text_addf(out, "%s (%s) on %s works with --hosts", name, value_get_string(d, "driver", "?"), value_get_string(d, "netdev", "?"));
	doctor_add_lacks(out, value_get_string(d, "can", ""));
	return true;
}

void check_own(struct doctor *doctor, struct doctor_finding *finding)
{
	auto_text struct text out = {0};
	auto_value struct value *all = NULL;
	bool works = true;
	struct vbm_error err;
	size_t i;

	(void)doctor;
	if (found_all(&all, false, &err) < 0)
		all = value_list();
	for (i = 0; i < all->list.count; i++) {
		text_add(&out, i ? ". " : "");
		works &= describe_device(&out, all->list.item[i]);
	}
	if (out.len)
		doctor_found(finding, works ? DOCTOR_OK : DOCTOR_WARN, NULL, "%.600s", out.s);
	else
		doctor_found(finding, DOCTOR_SKIP, NULL, "this machine has no RDMA device of its own");
}
