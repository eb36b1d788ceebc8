/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_FILES_H
#define VBM_CATALOGUE_FILES_H

#include <stdbool.h>

#include "base/strlist.h"
#include "compile/scenario.h"

/*
 * Where scenario files are. An id is the path of a file below its suite (see
 * suite.h), without ".yaml", whichever way the file was given. A file that
 * belongs to no suite has its bare name for an id, and its folder for a root.
 */
struct scenario_file {
	char *path;	/* owned; as a person would open it from here */
	char *id;	/* owned */
	char *root;	/* owned; a real path: the suite, or the folder of a file in none */
	bool in_suite;
	struct string_list variants;	/* the names of those that are wanted; empty: all */
};

struct scenario_files {
	struct scenario_file *item;		/* sorted by id, each file once */
	size_t count;
	struct scenario_file *finding;	/* those of folders called "findings", likewise */
	size_t finding_count;
};

/*
 * arguments.c: every scenario that @arg means, @count of them; without arguments those of
 * the default suite. An argument is a file, a folder or, where nothing is at
 * that path, the id of a scenario or the name of a variant as reports print
 * it. Errors: -ENOENT (nothing is called so, or a folder has no scenario in
 * it), -EEXIST (two files have the same id, and a report could not tell them
 * apart).
 */
int scenario_files_find(struct scenario_files *out, char *const *arg, int count,
			struct vbm_error *err);

/*
 * The same for a caller that runs nothing: an argument may be a file of
 * findings, and two files may have the same id.
 */
int scenario_files_find_all(struct scenario_files *out, char *const *arg, int count,
			    struct vbm_error *err);
void scenario_files_fini(struct scenario_files *files);

/*
 * The rest of the list is between the files of catalogue/. files.c: add one file, or
 * every file below a folder. Neither of the two sorts.
 */
#define SCENARIO_SUFFIX ".yaml"

struct scenario_file *scenario_files_add(struct scenario_files *out, const char *path);
int scenario_files_walk(struct scenario_files *out, const char *dir, struct vbm_error *err);
bool scenario_has_suffix(const char *name);
void scenario_file_fini(struct scenario_file *file);

/*
 * lookup.c: add the file that @name is about, an id or a variant's name. The suites
 * where it is looked for are those of the files that @out has already, the suite that
 * the current folder is in, the folder "scenarios" here, and the suite that comes with
 * the program. -ENOENT says what is close.
 */
int scenario_files_lookup(struct scenario_files *out, const char *name, struct vbm_error *err);

bool scenario_file_wants(const struct scenario_file *file, const char *variant);

/* The text of one file, which the caller frees. -EFBIG: it is larger than YAML_SIZE_MAX. */
int scenario_read(const char *path, char **text, size_t *len, struct vbm_error *err);

/*
 * load.c: read and compile one file. -EINVAL with diagnostics when it is not a valid
 * scenario; another negative errno with @err when it cannot be read.
 */
int scenario_load(struct scenario **out, const struct scenario_file *file,
		  struct diagnostics *diag, struct vbm_error *err);

#endif
