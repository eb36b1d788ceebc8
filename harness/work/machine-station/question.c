/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "machines/found.h"
#include "lib/base/fail.h"
#include "net/nl.h"
#include "machine-station/station-priv.h"

static int describe_found(struct station *s, struct value *answer, struct vbm_error *err)
{
	struct value *said = NULL;
	int ret = found_describe(s->fabric, &said, err);

	if (ret == 0)
		value_merge(answer, said);
	value_free(said);
	return ret;
}

/* Undo the changes of a killed run first: the device may be gone, or its interface down. */
static int sweep_station(struct station *s, struct vbm_error *err)
{
	if (!s->swept)
		s->swept = value_list();
	return fabric_sweep_machine(station_note_line, s->swept, err);
}

static int find_fabric(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	int ret;

	if (s->fabric)
		return vbm_fail(err, EALREADY, "the device was found before");
	clock_set_factor((int)value_get_int(q, "factor", 1));
	s->host = (int)value_get_int(q, "host", 0);
	ret = sweep_station(s, err);
	value_set(answer, "swept", s->swept);
	s->swept = NULL;
	if (ret >= 0)
		ret = found_fabric(&s->fabric, &(struct found_options){
			.wanted = value_get(q, "machine"), .configure = value_get_bool(q, "configure", false), .host = s->host,
		}, err);
	if (ret == 0 && value_get_bool(q, "messages", false))
		ret = messages_begin(s, err);
	if (ret == 0)
		ret = describe_found(s, answer, err);
	if (ret == 0 && value_get_bool(q, "configure", false))
		station_catch_signals(s);
	if (ret < 0 || !value_get_bool(q, "disturb", false))
		return ret;
	station_begin_changes(s);
	return station_stays(s, answer, err);
}

/* Tells what "find" would configure, so that the run can say it before. "find" tells what is swept here. */
static int plan(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	struct found_options opts = {.wanted = value_get(q, "machine"), .host = (int)value_get_int(q, "host", 0)};
	struct value *lines = value_list();
	int ret = sweep_station(s, err);

	value_set(answer, "plan", lines);
	return ret < 0 ? ret : found_plan(&opts, station_note_line, lines, err);
}

static int put_back(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	int ret = station_put_back(s, err);

	(void)q;
	return ret < 0 ? ret : describe_found(s, answer, err);
}

static int clean(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	struct value *left = value_list();

	(void)err;
	fabric_is_clean(s->fabric, (unsigned)value_get_int(q, "parts", 0), left);
	value_set(answer, "left", left);
	return 0;
}

static void add_pid(int pid, void *list)
{
	value_append(list, value_int(pid));
}

static int listeners(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	struct value *list = value_list();

	(void)q;
	value_set(answer, "list", list);
	return fabric_listeners(s->fabric, 0, add_pid, list, err);
}

static void add_object(const struct rdma_object *o, void *list)
{
	struct value *v = value_map();

	value_set_bool(v, "is_qp", o->is_qp);
	value_set_int(v, "number", o->number);
	value_set_int(v, "peer", o->peer);
	value_set_string(v, "type", o->type ? o->type : "");
	value_set_string(v, "state", o->state ? o->state : "");
	value_set_int(v, "pid", o->pid);
	if (o->kernel)
		value_set_string(v, "kernel", o->kernel);
	value_set_string(v, "from", o->from);
	value_set_string(v, "to", o->to);
	value_append(list, v);
}

static int objects(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	struct value *list = value_list();

	(void)q;
	value_set(answer, "list", list);
	return fabric_objects(s->fabric, 0, add_object, list, err);
}

static void add_counter(const char *name, uint64_t value, void *map)
{
	value_set_int(map, name, (int64_t)value);
}

static int counters(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	(void)q;
	return fabric_counters(s->fabric, 0, add_counter, answer, err);
}

/* The first ones can come before the device was found. */
#define QUESTIONS_BEFORE 3

static const struct {
	const char *name;
	int (*answer)(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err);
} questions[] = {
	{"find", find_fabric},
	{"plan", plan},
	{"look", station_look},
	{"listen", path_listen},
	{"path", path_try},
	{"clean", clean},
	{"put-back", put_back},
	{"listeners", listeners},
	{"objects", objects},
	{"counters", counters},
	{"ready", station_command_ready},
	{"processes", station_command_processes},
	{"doing", lodger_doing},
	{"messages", messages_tell},
};

static int answer_question(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	const char *name = value_get_string(q, "ask", "");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(questions); i++)
		if (!strcmp(questions[i].name, name))
			break;
	if (i == ARRAY_SIZE(questions))
		return vbm_fail(err, EPROTO, "there is no question '%s'", name);
	if (i >= QUESTIONS_BEFORE && !s->fabric)
		return vbm_fail(err, EPROTO, "the question '%s' came before the device was found", name);
	return questions[i].answer(s, q, answer, err);
}

void station_answer(struct station *s, const struct value *q)
{
	auto_value struct value *reply = value_map();
	struct value *answer = value_map(), *error;
	struct vbm_error err = {0};

	if (answer_question(s, q, answer, &err) == 0) {
		value_set(reply, "answer", answer);
	} else {
		error = value_map();
		value_set_int(error, "code", err.code);
		value_set_string(error, "text", err.msg);
		value_set(reply, "error", error);
		value_free(answer);
	}
	station_say_value(s, reply);
}
