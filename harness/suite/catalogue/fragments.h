/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_FRAGMENTS_H
#define VBM_CATALOGUE_FRAGMENTS_H

#include "compile/scenario.h"

/* The folder of fragments in a folder of scenarios. Its files are not scenarios. */
#define FRAGMENTS_FOLDER "fragments"

/*
 * For the compiler: a fragment of the suite at @root (borrowed, or NULL), or else
 * a fragment that comes with the program.
 */
struct fragment_source fragments_of(const char *root);

/*
 * Checks each fragment of the suite at @root, whether a scenario uses it or not.
 * @say gets the diagnostics of a file, or in @err the reason why it cannot be
 * read. Returns how many files are wrong, and adds their total to *@looked_at.
 */
typedef void fragment_say_fn(void *arg, const char *path, const struct diagnostics *diag,
			     const struct vbm_error *err);
size_t fragments_check(const char *root, fragment_say_fn *say, void *arg, size_t *looked_at);

/*
 * Every fragment that a suite can use, its own first: a list of maps with
 * "name", "path", "fragment" (its title) and "parameters". The caller owns it.
 * Leaves out files with errors; "verbatim check" reports those.
 */
struct value *fragments_describe(const char *root);

#endif
