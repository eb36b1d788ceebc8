/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/machines.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/match.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "doctor/doctor.h"
#include "fabric/fabric.h"
#include "machine-line/machine-line.h"
#include "machines/machine-fabric.h"

static bool is_by_hand(const struct value *machine)
{
	return match_word(value_get_string(value_get(machine, "used"), "can", ""), "by_hand");
}

/* A machine with "script: yes" has no device that a run uses. */
static const char *device_of(const struct value *machine)
{
	return value_get_string(value_get(machine, "used"), "dev", "");
}

static const struct value *first_with_device(const struct value *machines)
{
	size_t i;

	for (i = 0; i < machines->list.count; i++)
		if (*device_of(machines->list.item[i]))
			return machines->list.item[i];
	return NULL;
}

static bool has_lines(const struct value *machine, const char *name)
{
	const struct value *list = value_get(machine, name);

	return list && list->type == VALUE_LIST && list->list.count;
}

char *doctor_judge_machines(const struct value *machines)
{
	const struct value *first = first_with_device(machines), *m;
	size_t i;

	for (i = 0; i < machines->list.count; i++) {
		m = machines->list.item[i];
		if (has_lines(m, "left"))
			return xasprintf("a killed run has left things on machine %s; when they are removed, ask again",
					 value_get_string(m, "name", ""));
		if (*device_of(m) && is_by_hand(first) != is_by_hand(m))
			return xasprintf("the devices of machine %s and machine %s have different transports, so they cannot talk to "
					 "each other", value_get_string(first, "name", ""), value_get_string(m, "name", ""));
	}
	return NULL;
}

const char *doctor_hint(const struct value *machines)
{
	const struct value *first = first_with_device(machines);

	return first && !is_by_hand(first) ? "only rdma_cm connects queue pairs of these devices, so say run --device siw" : NULL;
}

static void show_list(FILE *out, const struct value *list, const char *before)
{
	size_t i;

	for (i = 0; list && list->type == VALUE_LIST && i < list->list.count; i++)
		if (list->list.item[i]->type == VALUE_STRING)
			fprintf(out, "  %s %s\n", before, list->list.item[i]->s);
}

static void show_device(FILE *out, const struct value *d, const char *used)
{
	const char *name = value_get_string(d, "device", "?"), *error = value_get_string(d, "error", NULL);
	const char *firmware = value_get_string(d, "firmware", "");
	struct text lacks auto_text = {0};

	if (error) {
		fprintf(out, "  device  %s (%s) cannot be used: %s\n", name, value_get_string(d, "driver", "?"), error);
		return;
	}
	doctor_add_lacks(&lacks, value_get_string(d, "can", ""));
	fprintf(out, "  device  %s (%s%s%s) on %s, MTU %d, %s, %s%s%s\n", name, value_get_string(d, "driver", "?"), *firmware ? ", firmware " : "",
		firmware, value_get_string(d, "netdev", "?"), (int)value_get_int(d, "mtu", 0), value_get_string(d, "ip4", "?"),
		value_get_string(d, "ip6", "?"), !strcmp(name, used) ? "; a run uses it" : "",
		lacks.s ? lacks.s : "; it has each ability that scenarios ask for");
}

static void show_machine(FILE *out, const struct value *m)
{
	const struct value *devices = value_get(m, "devices");
	const char *error = value_get_string(m, "error", NULL);
	bool reached = value_get_bool(m, "reached", false);
	size_t i;

	fprintf(out, "Machine %s %s.\n", value_get_string(m, "target", "?"),
		!reached ? "cannot be reached" : value_get_bool(m, "works", false) ? "can be used" : "cannot be used");
	if (value_get(m, "kernel"))
		fprintf(out, "  place   %s: Linux %s, rdma-core %s%s\n", value_get_string(m, "nodename", "?"),
			value_get_string(m, "kernel", "?"), value_get_string(m, "rdma_core", "?"),
			value_get_bool(m, "copied", false) ? "; this program was copied there" : "");
	if (error)
		fprintf(out, "  lacks   %s\n", error);
	if (value_get(m, "used") && !*device_of(m))
		fprintf(out, "  peer    scenarios play this machine (script: yes) on %s, %s, %s\n", value_get_string(value_get(m, "used"), "netdev", ""),
			value_get_string(value_get(m, "used"), "ip4", ""), value_get_string(value_get(m, "used"), "ip6", ""));
	for (i = 0; devices && i < devices->list.count; i++)
		show_device(out, devices->list.item[i], device_of(m));
	show_list(out, value_get(m, "plan"), "lacks   run --may-configure");
	if (has_lines(m, "left"))
		fputs("  left    by a killed run; the next run, or verbatim doctor --sweep there, removes it:\n", out);
	show_list(out, value_get(m, "left"), "       ");
}

void doctor_show_machines(FILE *out, const struct value *report)
{
	const struct value *list = value_get(report, "machines");
	const char *text = value_get_string(report, "text", NULL);
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		show_machine(out, list->list.item[i]);
		fputc('\n', out);
	}
	fprintf(out, "A run on these machines %s%s%s.\n", value_get_bool(report, "works", false) ? "begins" : "does not begin",
		text ? ": " : "", text ? text : "");
}

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
