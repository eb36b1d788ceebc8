/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/doctor.h"

#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lane/lane.h"

/* The order matters: a check may use the results of earlier checks. */
const struct doctor_check doctor_checks[] = {
	{"privileges", DOCTOR_NATIVE, check_root},
	{"rxe", DOCTOR_NATIVE, check_rxe},
	{"fabric", DOCTOR_NATIVE, check_fabric},
	{"devices", DOCTOR_NATIVE, check_devices},
	{"locked memory", DOCTOR_NATIVE, check_memory},
	{"qemu", DOCTOR_GUEST, check_qemu},
	{"kernels", DOCTOR_GUEST, check_kernels},
	{"guest", DOCTOR_GUEST, check_guest},
	{"kvm", DOCTOR_GUEST, check_kvm},
	{"programs", DOCTOR_UML, check_uml_kernels},
	{"start", DOCTOR_UML, check_uml},
	{"leftovers", DOCTOR_NATIVE, check_leftovers},
	{"confined", 0, check_confined},
	{"own devices", 0, check_own},
	{"choice", 0, check_choice},
	{NULL},
};

struct doctor_finding *doctor_examine(struct doctor *doctor)
{
	size_t count = 0, i;
	struct doctor_finding *findings;

	while (doctor_checks[count].name)
		count++;
	findings = xcalloc(count, sizeof(*findings));
	for (i = 0; i < count; i++) {
		doctor_checks[i].look(doctor, &findings[i]);
		if (findings[i].state == DOCTOR_FAIL)
			doctor->failed |= doctor_checks[i].lanes;
	}
	return findings;
}

bool doctor_lane_works(const struct doctor_check *checks, const struct doctor_finding *findings,
		       enum doctor_lane lane)
{
	size_t i;

	for (i = 0; checks[i].name; i++)
		if (checks[i].lanes & lane && findings[i].state == DOCTOR_FAIL)
			return false;
	return true;
}

static const char *const state_names[] = {
	[DOCTOR_OK] = "ok",
	[DOCTOR_WARN] = "warn",
	[DOCTOR_FAIL] = "fail",
	[DOCTOR_SKIP] = "skip",
};

static const struct {
	enum doctor_lane lane;
	const struct lane_ops *ops;
} lanes[] = {
	{DOCTOR_NATIVE, &lane_native},
	{DOCTOR_GUEST, &lane_guest},
	{DOCTOR_UML, &lane_uml},
};

static void show_check(FILE *out, const struct doctor_check *check,
		       const struct doctor_finding *finding, const char *before)
{
	fprintf(out, "%s  %-4s  %-13s %s\n", before, state_names[finding->state], check->name,
		finding->text);
	if (finding->fix[0])
		fprintf(out, "                      fix: %s\n", finding->fix);
}

static void show_lane(FILE *out, size_t lane, const struct doctor_check *checks,
		      const struct doctor_finding *findings)
{
	size_t i;

	fprintf(out, "The %s lane (%s) %s.\n", lanes[lane].ops->name, lanes[lane].ops->doc,
		doctor_lane_works(checks, findings, lanes[lane].lane) ? "works" : "does not work");
	for (i = 0; checks[i].name; i++) {
		if (checks[i].lanes & lanes[lane].lane)
			show_check(out, &checks[i], &findings[i], "");
	}
}

void doctor_show(FILE *out, const struct doctor_check *checks, const struct doctor_finding *findings)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lanes); i++) {
		if (i)
			fputc('\n', out);
		show_lane(out, i, checks, findings);
	}
	for (i = 0; checks[i].name; i++)
		if (!checks[i].lanes)
			show_check(out, &checks[i], &findings[i], "\n");
}

char *doctor_json(const struct doctor_check *checks, const struct doctor_finding *findings)
{
	auto_value struct value *doc = value_map();
	struct value *works = value_map(), *list = value_list(), *one;
	size_t i, k;

	for (k = 0; k < ARRAY_SIZE(lanes); k++)
		value_set_bool(works, lanes[k].ops->name,
			       doctor_lane_works(checks, findings, lanes[k].lane));
	value_set(doc, "lanes", works);
	for (i = 0; checks[i].name; i++) {
		one = value_map();
		value_set_string(one, "check", checks[i].name);
		value_set(one, "lanes", value_list());
		for (k = 0; k < ARRAY_SIZE(lanes); k++)
			if (checks[i].lanes & lanes[k].lane)
				value_append(value_get(one, "lanes"), value_string(lanes[k].ops->name));
		value_set_string(one, "state", state_names[findings[i].state]);
		value_set_string(one, "text", findings[i].text);
		if (findings[i].fix[0])
			value_set_string(one, "fix", findings[i].fix);
		value_append(list, one);
	}
	value_set(doc, "checks", list);
	return json_write_pretty(doc);
}
