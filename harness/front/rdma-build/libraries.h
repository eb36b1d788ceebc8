/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RDMA_BUILD_LIBRARIES_H
#define VBM_RDMA_BUILD_LIBRARIES_H

/* The variable that keeps the caller's LD_LIBRARY_PATH meanwhile. */
#define LIBRARIES_KEPT "VERBATIM_CALLER_LIBRARIES"

/*
 * A caller's LD_LIBRARY_PATH that names another rdma-core is for the commands that run on
 * hosts. This program needs the machine's libraries: it starts itself again without those
 * folders, with the same arguments (@argv[0]: "verbatim NAME"). Returns if there are no
 * such folders, or if this program does not start without them.
 */
void libraries_set_aside(int argc, char **argv);

/*
 * "LD_LIBRARY_PATH=..." as the caller set it, or NULL if it was not set aside. The caller
 * frees it.
 */
char *libraries_of_caller(void);

/*
 * @path without the folders of an rdma-core. Pure except that it looks into the folders.
 * The caller frees it.
 */
char *libraries_without(const char *path);

#endif
