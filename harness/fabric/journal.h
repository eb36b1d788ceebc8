/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_JOURNAL_H
#define VBM_FABRIC_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/*
 * Each fabric has a file that says how to undo it, for the case that its
 * process is killed. The process, or a child of it, holds the file's lock while
 * it lives; a process that gets the lock may replay the journal. The file is
 * text: a header line, then one line of tab-separated words for each entry, in
 * the order in which things were made.
 */
struct journal;

/* The folder of journals and locks; it is made when it is missing. */
int journal_dir(char dir[256], struct vbm_error *err);

/* A new journal, locked, with a run id that no other run has. */
int journal_create(struct journal **out, struct vbm_error *err);
unsigned journal_run(const struct journal *journal);

/* The run of a journal's file name ("3f2a.undo"); -1 when it is none. */
int journal_run_of_name(const char *name);

/* Write an entry down, before its thing is made. */
int journal_add(struct journal *journal, const char *const *words, int count,
		struct vbm_error *err);

/*
 * Whether the run (-1: any) lives, or may live: what cannot be found out counts
 * as alive. A living run holds the lock of its journal, and an abstract socket
 * in its network namespace, because other processes of that namespace may look
 * for journals in another folder.
 */
bool journal_alive(const char *dir, int run);

/*
 * @undone: nothing is left to undo, so the file goes, too; else the file stays
 * for a sweep. NULL is fine.
 */
void journal_close(struct journal *journal, bool undone);

/*
 * Lock a file; other processes see the lock while the descriptor is open.
 * -EBUSY when another process holds it. @create: make the file when it is
 * missing, else that is -ENOENT.
 */
int journal_lock(const char *path, bool create, int *fd, struct vbm_error *err);

/* What a journal file says. */
#define JOURNAL_WORDS_MAX 8

struct journal_entry {
	int count;
	char *words[JOURNAL_WORDS_MAX];		/* into @text */
};

struct journal_text {
	unsigned run;
	bool same_boot;		/* else the machine has restarted, and nothing of it exists */
	struct journal_entry *entries;	/* owned */
	size_t count;
	size_t skipped;		/* lines that made no sense */
	char *text;		/* owned */
};

/*
 * Pure. A line that makes no sense, or a torn last line, is skipped and
 * counted; a bad header is -EBADMSG.
 */
int journal_parse(const char *text, size_t size, const char *boot_id,
		  struct journal_text *out, struct vbm_error *err);
int journal_read(int fd, struct journal_text *out, struct vbm_error *err);
void journal_text_fini(struct journal_text *text);

#endif
