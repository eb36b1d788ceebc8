/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/machines.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "machine-line/machine-line.h"
#include "fabric/fabric.h"
#include "machines/machine-fabric.h"

#define LOOK_MS 60000	/* each device of the machine may wait for its GIDs */

static struct value *look_question(const struct value *machine, int host)
{
	struct value *q = value_map();

	value_set_string(q, "ask", "look");
	value_set(q, "machine", value_dup(machine));
	value_set_int(q, "host", host);
	return q;
}

static struct value *ask_one(struct machine_line *there, const struct value *machine, int host)
{
	auto_value struct value *answer = NULL;
	struct value *said = value_map();
	struct vbm_error err = {0};
	int ret = machine_line_ready(there, &err);

	value_set_string(said, "name", value_get_string(machine, "name", "?"));
	value_set_string(said, "target", machine_line_name(there));
	value_set_bool(said, "reached", ret == 0);
	value_set_bool(said, "copied", ret == 0 && machine_line_copied(there));
	if (ret == 0)
		ret = machine_line_ask(there, look_question(machine, host), &answer, LOOK_MS, &err);
	if (ret == 0)
		value_merge(said, answer);
	else
		value_set_string(said, "error", err.msg);
	value_set_bool(said, "works", ret == 0 && value_get(said, "used"));
	return said;
}

static int begin_all(struct machine_line **there, const struct value *machines, struct vbm_error *err)
{
	struct machine_line_program program;
	int ret = machine_line_program_read(&program, err);
	size_t i;

	for (i = 0; ret == 0 && i < machines->list.count; i++)
		ret = machine_line_begin(&there[i], machines->list.item[i], &program, err);
	return ret;
}

/* The same checks as a run makes before its first scenario. */
static void try_together(const struct value *machines, struct value *report, const struct value *list)
{
	const char *hint = doctor_hint(list);
	struct fabric *fabric = NULL;
	struct vbm_error err = {0};

	if (machines_fabric(&fabric, &(struct machines_options){.machines = machines, .factor = 1}, &err) < 0) {
		value_set_bool(report, "works", false);
		value_set_string(report, "text", err.msg);
	} else if (hint) {
		value_set_string(report, "text", hint);
	}
	fabric_free(fabric);
}

static void judge_machines(const struct value *machines, struct value *report)
{
	const struct value *list = value_get(report, "machines");
	auto_free char *why = NULL;
	bool all = true;
	size_t i;

	for (i = 0; i < list->list.count; i++)
		all = all && value_get_bool(list->list.item[i], "works", false);
	why = all ? doctor_judge_machines(list) : xstrdup("not all machines can be used");
	value_set_bool(report, "works", !why);
	if (why)
		value_set_string(report, "text", why);
	else
		try_together(machines, report, list);
}

int doctor_machines(const struct value *machines, struct value **out, struct vbm_error *err)
{
	size_t count = machines->list.count, i;
	auto_free struct machine_line **there = xcalloc(count, sizeof(struct machine_line *));
	int ret = begin_all(there, machines, err);
	struct value *list = value_list();

	for (i = 0; ret == 0 && i < count; i++)
		value_append(list, ask_one(there[i], machines->list.item[i], (int)i));
	for (i = 0; i < count; i++)
		machine_line_close(there[i]);
	if (ret < 0) {
		value_free(list);
		return ret;
	}
	*out = value_map();
	value_set(*out, "machines", list);
	judge_machines(machines, *out);
	return 0;
}
