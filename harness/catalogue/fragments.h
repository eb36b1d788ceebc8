/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_FRAGMENTS_H
#define VBM_CATALOGUE_FRAGMENTS_H

#include "compile/scenario.h"

/* The folder of fragments below a folder of scenarios; its files are no scenarios. */
#define FRAGMENTS_FOLDER "fragments"

/*
 * For the compiler: a fragment of the suite at @root (borrowed, or NULL), else
 * one that ships with the program.
 */
struct fragment_source fragments_of(const char *root);

/*
 * Look at each fragment of the suite at @root by itself, whoever uses it. @say
 * is told what is wrong with a file, or in @err why it cannot be read. Returns
 * how many are wrong, and adds to *@looked_at how many there are.
 */
typedef void fragment_say_fn(void *arg, const char *path, const struct diagnostics *diag,
			     const struct vbm_error *err);
size_t fragments_check(const char *root, fragment_say_fn *say, void *arg, size_t *looked_at);

/*
 * Every fragment that a suite can use, its own first: a list of maps with
 * "name", "path", "fragment" (its title) and "parameters". The caller owns it.
 * Files that are no fragments are left out; "verbatim check" says why.
 */
struct value *fragments_describe(const char *root);

#endif
