/* SPDX-License-Identifier: BSD-2-Clause */
#include "explore/batch.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/own-path.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "lib/base/fail.h"
#include "model/render.h"
#include "names/exit-status.h"
#include "process/program.h"

void batch_cut(struct sequence *out, const struct sequence *s, size_t from, size_t count, struct model_stack stack)
{
	auto_value struct value *steps = value_list();
	bool kept[SEQUENCE_MAX];
	size_t i, n = 0;

	*out = *s;
	if (from + count > s->count)
		count = s->count - from;
	memmove(out->op + from, out->op + from + count, (s->count - from - count) * sizeof(out->op[0]));
	out->count -= count;
	model_render(out->op, out->count, stack, steps, kept);
	for (i = 0; i < out->count; i++)
		if (kept[i])
			out->op[n++] = out->op[i];
	out->count = n;
}

static void add_steps(struct text *out, const struct sequence *s, struct model_stack stack, const char *indent)
{
	auto_value struct value *steps = value_list();
	size_t i;

	model_render(s->op, s->count, stack, steps, NULL);
	for (i = 0; i < steps->list.count; i++) {
		auto_free char *step = value_show(steps->list.item[i]);

		text_addf(out, "%s- %s\n", indent, step);
	}
}

char *batch_file(const struct sequence *s, size_t count, size_t first, struct model_stack stack)
{
	const char *fragment = NULL;
	struct text out = {0};
	size_t i;

	text_add(&out, "scenario: sequences of operations\ncases:\n");
	for (i = 0; i < count; i++) {
		text_addf(&out, "  - case: s%zu\n    _n: %zu\n    steps:\n", first + i, first + i);
		add_steps(&out, &s[i], stack, "      ");
		if (!fragment || strcmp(fragment, "two_pairs") == 0)
			fragment = model_fragment(s[i].op, s[i].count);
	}
	text_addf(&out, "use: %s\nsteps:\n  - steps: $steps\n", fragment);
	return out.s;
}

char *batch_scenario(const struct sequence *s, struct model_stack stack, const char *head, const char *title)
{
	auto_value struct value *name = value_string(title);
	auto_free char *quoted = json_write(name);	/* which is also YAML, whatever the title has */
	struct text out = {0};

	text_addf(&out, "%sscenario: %s\nuse: %s\nsteps:\n", head, quoted, model_fragment(s->op, s->count));
	add_steps(&out, s, stack, "  ");
	return out.s;
}

struct shrinking {
	struct sequence *s;
	struct sequence *candidate;	/* owned; SHRINK_MAX */
	size_t chunk;
	struct model_stack stack;
	shrink_try *try;
	void *arg;
};

static size_t failing(const struct shrink_tried *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->tried; i++)
		n += t->fails[i];
	return n;
}

/* Leaves out the chunks behind @from that can go, each by itself; only those from number @low to @high - 1 of them. */
static void without(const struct shrinking *k, size_t from, const struct shrink_tried *t, size_t low, size_t high, struct sequence *out)
{
	struct sequence before;
	size_t i, seen = failing(t);

	*out = *k->s;
	/* From the last one on, because what stands before a chunk keeps its place. */
	for (i = t->tried; i-- > 0;) {
		if (!t->fails[i])
			continue;
		seen--;
		before = *out;
		if (seen >= low && seen < high)
			batch_cut(out, &before, from + i * k->chunk, k->chunk, k->stack);
	}
}

/* Several chunks can go, each by itself: maybe all of them together, or half of them. Returns how many went, or -1: stop. */
static int leave_out_many(struct shrinking *k, size_t from, const struct shrink_tried *t)
{
	size_t n = failing(t), half = n / 2, went[] = {n, half, n - half, 1}, i;
	struct shrink_tried joined = {.tried = 0};

	if (n > 1) {
		without(k, from, t, 0, n, &k->candidate[0]);
		without(k, from, t, 0, half, &k->candidate[1]);
		without(k, from, t, half, n, &k->candidate[2]);
		if (k->try(k->arg, k->candidate, 3, &joined) < 0)
			return -1;
	}
	for (i = 0; i < 3 && !(i < joined.tried && joined.fails[i]); i++)
		;
	if (i == 3)
		without(k, from, t, 0, 1, &k->candidate[3]);
	*k->s = k->candidate[i];
	return (int)went[i];
}

/* Goes through the sequence and leaves out each chunk of operations without which it still fails. 1: it is shorter now. -1: stop. */
static int leave_out(struct shrinking *k)
{
	size_t from = 0, n;
	struct shrink_tried t;
	int went, shorter = 0;

	while (from < k->s->count && k->s->count > 1) {
		for (n = 0; n < SHRINK_MAX && from + n * k->chunk < k->s->count; n++)
			batch_cut(&k->candidate[n], k->s, from + n * k->chunk, k->chunk, k->stack);
		memset(&t, 0, sizeof(t));
		if (k->try(k->arg, k->candidate, n, &t) < 0)
			return -1;
		went = failing(&t) ? leave_out_many(k, from, &t) : 0;
		if (went < 0)
			return -1;
		shorter |= went > 0;
		/* The chunks before this place were tried already. */
		from += (t.tried ? t.tried - (size_t)went : n) * k->chunk;
	}
	return shorter;
}

void batch_shrink(struct sequence *s, struct model_stack stack, shrink_try *try, void *arg)
{
	auto_free struct sequence *candidate = xcalloc(SHRINK_MAX, sizeof(*candidate));
	struct shrinking k = {.s = s, .candidate = candidate, .chunk = (s->count + 1) / 2, .stack = stack, .try = try, .arg = arg};
	int shorter;

	while (k.chunk && s->count > 1) {
		shorter = leave_out(&k);
		if (shorter < 0)
			return;
		if (!shorter || k.chunk > 1)
			k.chunk /= 2;
	}
}

/* ---- outcomes ---- */

/* The number N in "NAME[sN]", or -1. */
static long number_of(const char *name)
{
	const char *at = name ? strrchr(name, '[') : NULL;

	return at && at[1] == 's' ? strtol(at + 2, NULL, 10) : -1;
}

/* The text of "note:" in line @line of the file. The caller frees it; NULL: it has none. */
static char *note_of(const char *file, int64_t line)
{
	const char *end, *note;

	for (; file && line > 1; line--) {
		file = strchr(file, '\n');
		file += file != NULL;
	}
	if (!file)
		return NULL;
	end = file + strcspn(file, "\n");
	note = strstr(file, "note: \"");
	if (!note || note > end)
		return NULL;
	note += strlen("note: \"");
	/* The text has no quotation mark, except those that its author escaped. */
	for (end = note; *end && *end != '"' && *end != '\n'; end++)
		if (*end == '\\' && end[1])
			end++;
	return xstrndup(note, (size_t)(end - note));
}

/* Numbers that stand alone or after "(" differ between runs: ids, addresses, keys. */
static char *without_numbers(const char *s)
{
	struct text out = {0};
	bool word = false;

	for (; *s; s++) {
		if (isdigit((unsigned char)*s) && !word) {
			text_add(&out, "N");
			while (isxdigit((unsigned char)s[1]) || s[1] == 'x')
				s++;
			continue;
		}
		word = isalnum((unsigned char)*s) || *s == '_';
		text_add_bytes(&out, s, 1);
	}
	return out.s ? out.s : xstrdup("");
}

char *batch_outcome_cause(const char *call, const char *field, const char *expected, const char *actual, const char *breaks)
{
	auto_free char *wanted = without_numbers(expected), *came = without_numbers(actual);
	bool fails = !strstr(came, "SUCCESS"), should = !strstr(wanted, "SUCCESS");

	if (!strcmp(field, "status") && fails && should)
		return xasprintf("%s %s %s", call, field, came);
	return xasprintf("%s %s %s %s %s", call, field, wanted, came, breaks ? breaks : "");
}

static void read_fail(struct explore_outcome *o, const struct value *event, const char *file)
{
	const char *call = event_string_or(event, "call", ""), *field = event_string_or(event, "field", "answer");
	const char *expected = event_string_or(event, "expected", ""), *actual = event_string_or(event, "actual", "");

	if (o->cause)
		return;
	o->breaks = note_of(file, event_integer(event, "line"));
	o->cause = batch_outcome_cause(call, field, expected, actual, o->breaks);
	o->says = xasprintf("%s.%s: %s: expected %s, got %s", event_string_or(event, "host", ""), call, field, expected, actual);
}

/* The first function of the RDMA core or its drivers in a complaint: it tells two panics apart. */
static char *place_of(const char *complaint)
{
	static const char *const prefixes[] = {"rxe_", "ib_", "uverbs_", "rdma_", "ucma_", "cma_"};
	const char *at = strstr(complaint, "Call Trace"), *end;
	size_t i;

	for (at = at ? at : complaint; (at = strpbrk(at, " \t\n")); at++)
		for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
			end = at + 1 + strcspn(at + 1, " \n+");
			if (!strncmp(at + 1, prefixes[i], strlen(prefixes[i])) && *end == '+')
				return xstrndup(at + 1, (size_t)(end - at - 1));
		}
	return xstrdup("an unknown place");
}

static void read_complaint(struct explore_outcome *o, const struct value *event)
{
	const struct value *complaints = event_strings(event, "complaints");
	const char *text = complaints && complaints->list.count ? complaints->list.item[0]->s :
			   event_string_or(event, "reason", "");
	auto_free char *line = xstrndup(text, strcspn(text, "\n")), *where = place_of(text);

	if (o->cause && !(complaints && complaints->list.count))
		return;
	free(o->cause);
	free(o->says);
	free(o->breaks);
	o->breaks = NULL;
	o->cause = xasprintf(OUTCOME_KERNEL "%s in %s", line, where);
	o->says = xstrdup(o->cause);
}

static void read_verdict(struct explore_outcome *o, const struct value *event)
{
	enum verdict v = event_verdict(event);

	o->ran = true;
	o->failed = v == VERDICT_FAIL || v == VERDICT_ERROR;
	if (o->failed)
		read_complaint(o, event);
}

static void read_begin(struct explore_used *used, const struct value *event)
{
	snprintf(used->kernel, sizeof(used->kernel), "%s", event_string_or(event, "kernel", ""));
	snprintf(used->rdma_core, sizeof(used->rdma_core), "%s", event_string_or(event, "rdma_core", ""));
	snprintf(used->lane, sizeof(used->lane), "%s", event_string_or(event, "lane", ""));
	snprintf(used->target, sizeof(used->target), "%s", event_string_or(event, "target", ""));
}

/* The file that has sequence @n; NULL: none has it. */
static const struct outcome_file *file_of(const struct outcome_file *file, size_t files, long n)
{
	size_t i;

	for (i = 0; i < files; i++)
		if (n >= (long)file[i].from && n < (long)(file[i].from + file[i].count))
			return &file[i];
	return NULL;
}

void batch_outcomes_read(struct explore_outcome *out, const struct outcome_file *file, size_t files, char *events, struct explore_used *used)
{
	const struct outcome_file *f;
	char *line;
	size_t i;
	long n;

	for (i = 0; i < files; i++)
		memset(out + file[i].from, 0, file[i].count * sizeof(*out));
	while ((line = file_next_line(&events))) {
		auto_value struct value *event = NULL;

		if (!strstr(line, "{\"event\":\"fail\"") && !strstr(line, "{\"event\":\"verdict\"") &&
		    !strstr(line, "{\"event\":\"begin\""))
			continue;
		event = json_read(line, strlen(line), NULL);
		if (!event)
			continue;
		if (event_is(event, "begin"))
			read_begin(used, event);
		n = event_is(event, "begin") ? -1 : number_of(event_name(event));
		f = file_of(file, files, n);
		if (!f)
			continue;
		if (event_is(event, "fail"))
			read_fail(&out[n], event, f->text);
		else
			read_verdict(&out[n], event);
	}
}

void batch_outcomes_fini(struct explore_outcome *out, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		free(out[i].cause);
		free(out[i].says);
		free(out[i].breaks);
	}
}

/* The text as a file without a name in any folder, so that nothing is left of it however this process ends. */
static int nameless_file(const char *text, struct vbm_error *err)
{
	int fd = memfd_create("sequences", MFD_CLOEXEC), rc;

	if (fd < 0)
		return vbm_fail(err, errno, "cannot make a file for sequences: %s", strerror(errno));
	rc = file_write(fd, text, strlen(text));
	if (rc < 0) {
		close(fd);
		return vbm_fail(err, -rc, "cannot write a file for sequences: %s", strerror(-rc));
	}
	return fd;
}

/* Files of one run: a few at most, so that no shrinking needs more. */
#define FILES_MAX 16
#define WORDS_MAX (12 + FILES_MAX)

/* The files of one run. */
struct batch_files {
	struct outcome_file file[FILES_MAX];	/* each owns its text */
	int fd[FILES_MAX];			/* owned */
	size_t count;
};

/* Appends "OPTION=VALUE" unless there is no value. */
static size_t add_option(char **argv, size_t n, const char *option, const char *value)
{
	if (value)
		argv[n++] = xasprintf("%s=%s", option, value);
	return n;
}

static int run_candidates(const struct batch_place *p, const struct batch_files *files, char **said, int *status, struct vbm_error *err)
{
	char *argv[WORDS_MAX] = {own_command(), xstrdup("run"), xstrdup("--format=json")};
	size_t n = 3, i;
	int rc;

	n = add_option(argv, n, "--lane", p->lane);
	n = add_option(argv, n, "--layout", p->layout);
	n = add_option(argv, n, "--device", p->device);
	n = add_option(argv, n, "--kernel", p->kernel);
	n = add_option(argv, n, "--target", p->target);
	if (p->first)
		argv[n++] = xstrdup("--fail-fast");
	for (i = 0; i < files->count; i++)
		argv[n++] = xasprintf("/proc/%d/fd/%d", (int)getpid(), files->fd[i]);
	rc = program_says(argv, said, status, err);
	while (n)
		free(argv[--n]);
	return rc;
}

/* The last lines that are no events: the run's message. */
static void pass_on(const char *said, struct vbm_error *err)
{
	const char *message = "", *line;

	for (line = said; line; line = strchr(line, '\n'), line += line != NULL)
		if (*line && *line != '{' && *line != '\n')
			message = line;
	vbm_fail(err, EINVAL, "the sequences could not run: %.*s", (int)strcspn(message, "\n"), message);
}

static int run_files(struct batch_place *place, const struct batch_files *files, struct explore_outcome *out, struct vbm_error *err)
{
	auto_free char *said = NULL;
	int status, rc = run_candidates(place, files, &said, &status, err);

	if (rc < 0)
		return rc;
	place->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (place->status != EXIT_OK && place->status != EXIT_FAILED) {
		pass_on(said, err);
		return -err->code;
	}
	batch_outcomes_read(out, files->file, files->count, said, &place->used);
	return 0;
}

/* The next sequences, from @from on, as one more file. */
static int add_file(struct batch_files *files, const struct batch_place *place, const struct sequence *s, size_t from, size_t count,
		    struct vbm_error *err)
{
	struct outcome_file *f = &files->file[files->count];
	size_t steps = s[from].count;
	int fd;

	*f = (struct outcome_file){.from = from, .count = 1};
	for (; from + f->count < count && steps + s[from + f->count].count <= BATCH_STEPS; f->count++)
		steps += s[from + f->count].count;
	f->text = batch_file(s + from, f->count, from, place->stack);
	fd = files->fd[files->count++] = nameless_file(f->text, err);
	return fd < 0 ? fd : 0;
}

static void files_fini(struct batch_files *files)
{
	size_t i;

	for (i = 0; i < files->count; i++) {
		free(files->file[i].text);
		if (files->fd[i] >= 0)
			close(files->fd[i]);
	}
}

static bool has_failed(const struct explore_outcome *out, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (out[i].failed)
			return true;
	return false;
}

int batch_run(struct batch_place *place, const struct sequence *s, size_t count, struct explore_outcome *out,
	      struct vbm_error *err)
{
	struct batch_files files;
	size_t from = 0, begin;
	int rc = 0;

	memset(out, 0, count * sizeof(*out));
	while (rc == 0 && from < count) {
		begin = from;
		for (files.count = 0; rc == 0 && files.count < FILES_MAX && from < count; from += files.file[files.count - 1].count)
			rc = add_file(&files, place, s, from, count, err);
		if (rc == 0)
			rc = run_files(place, &files, out, err);
		files_fini(&files);
		if (place->first && has_failed(out + begin, from - begin))
			break;
	}
	return rc;
}
