/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_FILES_H
#define VBM_CATALOGUE_FILES_H

#include "compile/scenario.h"

/*
 * Where scenario files are. An id is the path below the innermost folder
 * called "scenarios", without ".yaml"; a file that is in no such folder is
 * known by its path below the folder that was given, or by its name.
 */
struct scenario_file {
	char *path;	/* owned; as a person would open it from here */
	char *id;	/* owned */
	char *root;	/* owned; the scenarios folder it is in, or NULL; of a file of deviations:
			 * the folder its folder is in */
};

struct scenario_files {
	struct scenario_file *item;		/* sorted by id, each once */
	size_t count;
	struct scenario_file *deviation;	/* those of folders called "deviations", likewise */
	size_t deviation_count;
	bool all;		/* deviations were asked for, too */
};

/*
 * Every scenario that @arg (FILE or DIR, @count of them) means, sorted by id,
 * each once; without arguments those of the default folder. Errors: -ENOENT
 * (nothing there, or no scenario in it), -EEXIST (two files with one id).
 */
int scenario_files_find(struct scenario_files *out, char *const *arg, int count,
			struct vbm_error *err);

/* The same, and files of known deviations will do. */
int scenario_files_find_all(struct scenario_files *out, char *const *arg, int count,
			    struct vbm_error *err);
void scenario_files_fini(struct scenario_files *files);

/*
 * The folder of scenarios that comes with this program: "scenarios" here, near
 * the executable when it lies in its build folder, or the installed one.
 */
int scenario_default_dir(char **out, struct vbm_error *err);

/* The text of one file, which the caller frees; it may not be overlong. */
int scenario_read(const char *path, char **text, size_t *len, struct vbm_error *err);

/*
 * Read and compile one file. -EINVAL with diagnostics when it is not a valid
 * scenario; another negative errno with @err when it cannot be read.
 */
int scenario_load(struct scenario **out, const struct scenario_file *file,
		  struct diagnostics *diag, struct vbm_error *err);

#endif
