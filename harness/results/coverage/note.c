/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/note.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "coverage/table.h"
#include "lib/base/fail.h"
#include "names/targets.h"


static const char *const kinds[NOTE_KINDS] = {
	[NOTE_FORCED] = "forced",
	[NOTE_STATIC] = "static",
	[NOTE_UNREACHABLE] = "unreachable",
};

static const char *kind_name(size_t i)
{
	return i < NOTE_KINDS ? kinds[i] : NULL;
}

static const char *wanted_target(size_t i)
{
	return i == 0 ? "any" : target_name(i - 1);
}

static const struct coverage_note *find_same_note(const struct coverage_notes *notes,
						  const struct coverage_note *n)
{
	size_t i;

	for (i = 0; i < notes->count; i++)
		if (!strcmp(notes->item[i].subject, n->subject) &&
		    (!strcmp(notes->item[i].target, n->target) ||
		     !strcmp(notes->item[i].target, "any") || !strcmp(n->target, "any")))
			return &notes->item[i];
	return NULL;
}

static int check_note(const struct coverage_notes *notes, const struct coverage_note *n,
		      const char *kind, struct vbm_error *err)
{
	bool none = !strcmp(n->where, "-");
	const struct coverage_note *earlier;
	auto_free char *names = NULL;

	if (n->kind == NOTE_KINDS) {
		names = choice_text(kind_name, "");
		return vbm_fail(err, EINVAL, "coverage.tsv:%d: '%s' is not a kind: %s", n->line,
				kind, names);
	}
	if (!choice_has(wanted_target, n->target)) {
		names = choice_text(wanted_target, "");
		return vbm_fail(err, EINVAL, "coverage.tsv:%d: '%s' is not a target: %s", n->line,
				n->target, names);
	}
	if (n->kind == NOTE_UNREACHABLE && !none)
		return vbm_fail(err, EINVAL, "coverage.tsv:%d: nothing shows an unreachable "
				"subject: 'where' must be '-'", n->line);
	if (n->kind != NOTE_UNREACHABLE && (none || !*n->where))
		return vbm_fail(err, EINVAL, "coverage.tsv:%d: a test shows a subject that is %s: "
				"'where' must be a file", n->line, kind);
	if (!*n->subject || !*n->why)
		return vbm_fail(err, EINVAL, "coverage.tsv:%d: '%s' is empty", n->line,
				*n->subject ? "why" : "subject");
	earlier = find_same_note(notes, n);
	if (earlier)
		return vbm_fail(err, EINVAL, "coverage.tsv:%d: line %d is already about %s",
				n->line, earlier->line, n->subject);
	return 0;
}

static int take_line(void *arg, char *const *cell, int number, struct vbm_error *err)
{
	struct coverage_notes *out = arg;
	struct coverage_note n = {
		.subject = cell[0], .kind = (enum note_kind)choice_find(kind_name, cell[1]), .target = cell[2], .where = cell[3],
		.why = cell[4], .line = number,
	};
	int rc = check_note(out, &n, cell[1], err);

	if (rc < 0)
		return rc;
	GROW(out->item, out->count);
	out->item[out->count++] = n;
	return 0;
}

static const struct table_format format = {
	"coverage.tsv", {"subject", "kind", "target", "where", "why"}, take_line,
};

int notes_parse(struct coverage_notes *out, char *text, struct vbm_error *err)
{
	int rc;

	*out = (struct coverage_notes){.text = text};
	rc = table_parse(&format, text, out, err);
	if (rc < 0)
		notes_fini(out);
	return rc;
}

int notes_load(struct coverage_notes *out, const char *dir, struct vbm_error *err)
{
	char *text;
	int rc = table_load(&format, dir, &text, err);

	*out = (struct coverage_notes){0};
	return text ? notes_parse(out, text, err) : rc;
}

void notes_fini(struct coverage_notes *notes)
{
	free(notes->item);
	free(notes->text);
	*notes = (struct coverage_notes){0};
}

const struct coverage_note *note_find(const struct coverage_notes *notes, const char *subject,
				      const char *target)
{
	const struct coverage_note *n;
	size_t i;

	for (i = 0; i < notes->count; i++) {
		n = &notes->item[i];
		if (!strcmp(n->subject, subject) &&
		    (!target || !strcmp(n->target, "any") || !strcmp(n->target, target)))
			return n;
	}
	return NULL;
}
