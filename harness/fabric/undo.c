/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/undo.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "fabric/journal.h"
#include "fail.h"

struct entry {
	int count;
	char *words[UNDO_WORDS_MAX];	/* owned */
};

struct undo {
	struct undo_ops ops;
	unsigned run;
	struct journal *journal;	/* borrowed */
	struct entry *entries;		/* owned */
	size_t count;
};

struct undo *undo_new(const struct undo_ops *ops, unsigned run, struct journal *journal)
{
	struct undo *undo = xcalloc(1, sizeof(*undo));

	undo->ops = *ops;
	undo->run = run;
	undo->journal = journal;
	return undo;
}

static void entry_fini(struct entry *entry)
{
	int i;

	for (i = 0; i < entry->count; i++)
		free(entry->words[i]);
	entry->count = 0;
}

void undo_free(struct undo *undo)
{
	size_t i;

	if (!undo)
		return;
	for (i = 0; i < undo->count; i++)
		entry_fini(&undo->entries[i]);
	free(undo->entries);
	free(undo);
}

int undo_push(struct undo *undo, struct vbm_error *err, const char *kind, ...)
{
	struct entry entry = {0};
	const char *word;
	va_list ap;
	int ret = 0;

	va_start(ap, kind);
	for (word = kind; word && entry.count < UNDO_WORDS_MAX; word = va_arg(ap, const char *))
		entry.words[entry.count++] = xstrdup(word);
	va_end(ap);
	if (undo->journal)
		ret = journal_add(undo->journal, (const char *const *)entry.words, entry.count, err);
	if (ret < 0) {
		entry_fini(&entry);
		return ret;
	}
	GROW(undo->entries, undo->count);
	undo->entries[undo->count++] = entry;
	return 0;
}

int undo_one(const struct undo_ops *ops, unsigned run, char *const *words, int count,
	     struct vbm_error *err)
{
	const struct undo_kind *kind;

	for (kind = ops->kinds; kind->name; kind++)
		if (count > 0 && !strcmp(kind->name, words[0]))
			break;
	if (!kind->name)
		return vbm_fail(err, EBADMSG, "unknown undo entry '%s'", count > 0 ? words[0] : "");
	if (count - 1 != kind->words)
		return vbm_fail(err, EBADMSG, "undo entry '%s' with %d words, not %d", kind->name,
				count - 1, kind->words);
	return kind->undo(ops->ctx, run, words + 1, err);
}

int undo_unwind(struct undo *undo, struct vbm_error *err)
{
	struct vbm_error first = {0}, why;
	struct entry *kept = NULL;
	size_t kept_count = 0, i;

	while (undo->count > 0) {
		struct entry *entry = &undo->entries[undo->count - 1];

		if (undo_one(&undo->ops, undo->run, entry->words, entry->count, &why) < 0) {
			if (!first.code)
				first = why;
			GROW(kept, kept_count);
			kept[kept_count++] = *entry;
		} else {
			entry_fini(entry);
		}
		undo->count--;
	}
	for (i = kept_count; i > 0; i--) {
		GROW(undo->entries, undo->count);
		undo->entries[undo->count++] = kept[i - 1];
	}
	free(kept);
	if (first.code)
		return vbm_fail(err, first.code, "%s", first.msg);
	return 0;
}
