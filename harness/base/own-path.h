/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_OWN_PATH_H
#define VBM_BASE_OWN_PATH_H

/*
 * The path of @name ("../share/verbatim") relative to the folder of this program, because
 * an installation may have been moved as a whole. The caller frees. NULL if the program
 * cannot find out where it is.
 */
char *own_path(const char *name);

#endif
