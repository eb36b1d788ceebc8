/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_LOOKUP_H
#define VBM_CATALOGUE_LOOKUP_H

#include "catalogue/files.h"

/*
 * Find the file that @name, an id or a variant's name, is about, and add it to
 * @out. Looked at, in this order: the suites of the files that are in @out
 * already, the suite that the current folder is in, the folder "scenarios" in
 * it, the suite that comes with the program. -ENOENT tells what is close.
 */
int lookup_name(struct scenario_files *out, const char *name, struct vbm_error *err);

#endif
