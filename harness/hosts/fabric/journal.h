/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_JOURNAL_H
#define VBM_FABRIC_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

/*
 * Each fabric has a file that describes how to undo it, in case its process is killed. The
 * process, or a child of it, holds the file's lock while it lives. A process that gets the
 * lock may replay the journal. The file is text: a header line, then one line of
 * tab-separated words for each entry, in the order in which things were made.
 */
struct journal;

/* The folder of journals and locks. It is made if it does not exist. */
int journal_dir(char dir[256], struct vbm_error *err);

/* Make a new journal, locked, with a run id that no other run has. */
int journal_create(struct journal **out, struct vbm_error *err);
unsigned journal_run(const struct journal *journal);

/* The run in a journal's file name ("3f2a.undo"); -1: not such a name. */
int journal_run_of_name(const char *name);

/* Write an entry, before its thing is made. */
int journal_add(struct journal *journal, const char *const *words, int count,
		struct vbm_error *err);

/* The bytes of the file, to which it can be shortened later: the entries behind them have been undone. */
int64_t journal_size(const struct journal *journal);
void journal_shorten(struct journal *journal, int64_t size);

/*
 * Whether the run (-1: any run) lives. If that cannot be found out, the answer is yes. A
 * living run holds the lock of its journal, and an abstract socket in its network
 * namespace, because other processes of that namespace may look for journals in another
 * folder.
 */
bool journal_alive(const char *dir, int run);
/* Whether a run that has a journal lives in this network namespace. */
bool journal_is_here(void);

/*
 * @undone: nothing is left to undo, so the file is removed. Otherwise the file stays for a
 * sweep. NULL is allowed.
 */
void journal_close(struct journal *journal, bool undone);

/*
 * Lock a file; other processes see the lock while the descriptor is open. -EBUSY: another
 * process holds it. @create: make the file if it does not exist; otherwise that is
 * -ENOENT.
 */
int journal_lock(const char *path, bool create, int *fd, struct vbm_error *err);

/* The contents of a journal file. */
#define JOURNAL_WORDS_MAX 8

struct journal_entry {
	int count;
	char *words[JOURNAL_WORDS_MAX];		/* point into @text */
};

struct journal_text {
	unsigned run;
	bool same_boot;		/* false: the machine has restarted, and the things are gone */
	struct journal_entry *entries;	/* owned */
	size_t count;
	size_t skipped;		/* invalid lines */
	char *text;		/* owned */
};

/*
 * Pure. An invalid line or an incomplete last line is skipped and counted. A bad header is
 * -EBADMSG.
 */
int journal_parse(const char *text, size_t size, const char *boot_id,
		  struct journal_text *out, struct vbm_error *err);
int journal_read(int fd, struct journal_text *out, struct vbm_error *err);
void journal_text_fini(struct journal_text *text);

#endif
