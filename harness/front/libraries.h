/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_LIBRARIES_H
#define VBM_FRONT_LIBRARIES_H

/* Where LD_LIBRARY_PATH of the caller is meanwhile. */
#define LIBRARIES_KEPT "VERBATIM_CALLER_LIBRARIES"

/*
 * A caller's LD_LIBRARY_PATH that leads to another rdma-core is for the commands that
 * run on hosts. This program keeps the machine's: without those folders it starts
 * anew, with the same arguments (@argv[0]: "verbatim NAME"). Returns where there are
 * none, or where this program does not start without them.
 */
void libraries_set_aside(int argc, char **argv);

/* "LD_LIBRARY_PATH=..." as the caller set it, where it was set aside, or NULL. Caller frees. */
char *libraries_of_caller(void);

/* Pure but for looking into the folders: @path without those of an rdma-core; caller frees. */
char *libraries_without(const char *path);

#endif
