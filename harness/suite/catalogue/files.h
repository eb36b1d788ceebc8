/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_FILES_H
#define VBM_CATALOGUE_FILES_H

#include <stdbool.h>

#include "base/strlist.h"
#include "compile/scenario.h"

/*
 * Finds scenario files. The id of a file is its path below its suite (see
 * suite.h), without ".yaml", in whichever way the file was given. A file that
 * belongs to no suite has its bare name as id, and its folder as root.
 */
struct scenario_file {
	char *path;	/* owned; relative to the current folder if it is below */
	char *id;	/* owned */
	char *root;	/* owned; a real path: the suite, or the file's folder if it is in no suite */
	bool in_suite;
	const char *connects, *chosen;	/* borrowed; see struct scenario_input */
	struct string_list variants;	/* the names of the selected variants; empty: all */
};

struct scenario_files {
	struct scenario_file *item;		/* sorted by id, each file once */
	size_t count;
	struct scenario_file *finding;	/* the files in folders called "findings", sorted in the same way */
	size_t finding_count;
};

/*
 * arguments.c: finds every scenario that the @count arguments @arg name. Without
 * arguments: those of the default suite. An argument is a file, a folder or, if no
 * file has that path, the id of a scenario, the name of a variant as reports print it,
 * or a folder of a suite. Errors: -ENOENT (nothing has that name, or a folder has no scenario in it),
 * -EEXIST (two files have the same id, so a report could not tell them apart).
 */
int scenario_files_find(struct scenario_files *out, char *const *arg, int count,
			struct vbm_error *err);

/*
 * Does the same for a caller that runs nothing: an argument may also be a file
 * of findings, and two files may have the same id.
 */
int scenario_files_find_all(struct scenario_files *out, char *const *arg, int count,
			    struct vbm_error *err);
void scenario_files_fini(struct scenario_files *files);

/*
 * The rest of the list is for the files of catalogue/ only. files.c: adds one file,
 * or every file below a folder. Neither of the two sorts.
 */
#define SCENARIO_SUFFIX ".yaml"

struct scenario_file *scenario_files_add(struct scenario_files *out, const char *path);
int scenario_files_walk(struct scenario_files *out, const char *dir, struct vbm_error *err);
bool scenario_file_has_suffix(const char *name);
void scenario_file_fini(struct scenario_file *file);

/*
 * lookup.c: adds the file of the id or variant @name, or those of the suite's folder @name. It is searched in the suites
 * of the files that @out already has, in the suite of the current folder, in the
 * folder "scenarios" here, and in the shipped suite. The message of -ENOENT suggests
 * a similar name.
 */
int scenario_files_lookup(struct scenario_files *out, const char *name, struct vbm_error *err);

bool scenario_file_wants(const struct scenario_file *file, const char *variant);

/* Reads one file. The caller frees the text. -EFBIG: the file is larger than YAML_SIZE_MAX. */
int scenario_file_read(const char *path, char **text, size_t *len, struct vbm_error *err);

/*
 * load.c: reads and compiles one file. -EINVAL with diagnostics when it is not a valid
 * scenario; another negative errno with @err when it cannot be read.
 */
int scenario_file_load(struct scenario **out, const struct scenario_file *file,
		  struct diagnostics *diag, struct vbm_error *err);

/*
 * Compiles each file, and keeps none. Adds to @lines each error as FILE:LINE:COLUMN. Returns
 * how many files are not valid; @err is about the last of them.
 */
struct text;
size_t scenario_files_check(const struct scenario_files *files, struct text *lines, struct vbm_error *err);

#endif
