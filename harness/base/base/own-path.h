/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_OWN_PATH_H
#define VBM_BASE_OWN_PATH_H

/*
 * The path of @name ("../share/verbatim") relative to the folder of this program, because
 * an installation may have been moved as a whole. The caller frees. NULL if the program
 * cannot find out where it is.
 */
char *own_path(const char *name);

/*
 * The command verbatim beside this program, as the first word of a command line. The caller
 * frees. If the program cannot find out where it is, PATH decides.
 */
char *own_command(void);

/*
 * The path of a private file of the program ("build-kernel"): in VERBATIM_LIBEXECDIR if that
 * is set, else in the installation, also a moved one, or in the source tree of a build. The
 * caller frees. If there is none, the path is where an installation has it.
 */
char *own_private_path(const char *name);

#endif
