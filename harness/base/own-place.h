/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_OWN_PLACE_H
#define VBM_BASE_OWN_PLACE_H

/*
 * The path of @name ("../share/verbatim") from the folder that this
 * program lies in; an installation may have been moved as a whole. The caller frees.
 * NULL where the program does not know where it is.
 */
char *own_place(const char *name);

#endif
