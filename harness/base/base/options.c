/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/options.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"

#define OPTIONS_MAX 64
#define KEYS 256	/* of options without a letter */

/* The options that argp reads now. */
static struct {
	const struct options *of;
	struct argp_option option[OPTIONS_MAX + 1];
	const struct option_line *line[OPTIONS_MAX];
	size_t at[OPTIONS_MAX];	/* of the struct whose member the line sets */
	size_t count;
} now;

void option_refuse(const struct argp_state *state, const struct option_line *line, choice_name *names, const char *rest, const char *arg)
{
	auto_free char *text = choice_text(names, rest);

	argp_error(state, "--%s takes %s, not '%s'", line->name, text, arg);
}

void option_wrong(const struct option_line *line, const char *arg, const struct vbm_error *err)
{
	visible_complain("--%s %s: %s", line->name, arg, err->msg);
	exit(argp_err_exit_status);
}

char *option_doc(const struct option_line *line)
{
	return line->names ? choice_text(line->names, line->doc) : xstrdup(line->doc);
}

static void set_text(const struct option_line *line, char *input, const char *arg, struct argp_state *state)
{
	if (line->kind == OPTION_ONE_OF && !choice_has(line->names, arg))
		option_refuse(state, line, line->names, "", arg);
	*(const char **)(void *)(input + line->at) = arg;
}

static void set_number(const struct option_line *line, char *input, const char *arg, struct argp_state *state)
{
	void *member = input + line->at;
	int64_t n = 1;

	if (arg && !number_read(arg, line->min, line->max, &n))
		argp_error(state, "--%s takes a number from %" PRId64 " to %" PRId64 ", not '%s'", line->name, line->min, line->max, arg);
	if (line->size == sizeof(int))
		*(int *)member = (int)n;
	else
		*(int64_t *)member = n;
}

static void add_text(const struct option_line *line, char *input, const char *arg)
{
	const char ***list = (void *)(input + line->at);
	size_t *count = (void *)(input + line->count_at);

	GROW(*list, *count);
	(*list)[(*count)++] = arg;
}

static void put_into_job(const struct option_line *line, void *input, const char *arg)
{
	struct value **job = (void *)((char *)input + now.of->job_at);

	if (!*job)
		*job = value_map();
	if (line->kind == OPTION_FLAG)
		value_set_bool(*job, line->job, true);
	else
		value_set_string(*job, line->job, arg);
}

static void set(size_t i, char *arg, struct argp_state *state)
{
	const struct option_line *line = now.line[i];
	char *input = (char *)state->input + now.at[i];

	if (line->job && now.of->job_at)
		put_into_job(line, state->input, arg);
	if (line->nowhere)
		return;
	switch (line->kind) {
	case OPTION_FLAG:
		*(bool *)(input + line->at) = true;
		break;
	case OPTION_TEXT:
	case OPTION_ONE_OF:
		set_text(line, input, arg, state);
		break;
	case OPTION_NUMBER:
		set_number(line, input, arg, state);
		break;
	case OPTION_LIST:
		add_text(line, input, arg);
		break;
	case OPTION_TAKEN:
		line->take(input + line->at, line, arg, state);
		break;
	}
}

static size_t find(int key)
{
	size_t i = 0;

	while (i < now.count && now.option[i].key != key)
		i++;
	return i;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct option_args *args;
	size_t i = find(key);

	if (i < now.count) {
		set(i, arg, state);
	} else if (key == ARGP_KEY_ARGS && now.of->has_args) {
		args = (void *)((char *)state->input + now.of->args_at);
		args->arg = state->argv + state->next;
		args->count = state->argc - state->next;
	} else if (key == ARGP_KEY_END && now.of->check) {
		now.of->check(state->input, state);
	} else {
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* argp frees the text unless it is its own. */
static char *help(int key, const char *text, void *input)
{
	size_t i = find(key);

	(void)input;
	return i < now.count && now.line[i]->names ? choice_text(now.line[i]->names, text) : (char *)(uintptr_t)text;
}

static void add_table(const struct option_line *line, size_t at)
{
	for (; line->name && now.count < OPTIONS_MAX; line++, now.count++) {
		now.line[now.count] = line;
		now.at[now.count] = at;
		now.option[now.count] = (struct argp_option){
			.name = line->name, .key = line->letter ? line->letter : KEYS + (int)now.count, .arg = line->arg, .doc = line->doc,
			.flags = line->optional ? OPTION_ARG_OPTIONAL : 0,
		};
	}
	now.option[now.count] = (struct argp_option){0};
}

void options_parse(const struct options *o, int argc, char **argv, void *arguments)
{
	/* argp keeps memory of a list without an option. */
	struct argp argp = {NULL, parse, o->args_doc, o->doc, NULL, help, NULL};
	size_t i;

	now.of = o;
	now.count = 0;
	for (i = 0; i < OPTION_TABLES && o->table[i].line; i++)
		add_table(o->table[i].line, o->table[i].at);
	if (now.count)
		argp.options = now.option;
	argp_parse(&argp, argc, argv, 0, NULL, arguments);
}
