/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_SEARCH_PATH_H
#define VBM_BASE_SEARCH_PATH_H

#include <stdbool.h>

/* PATH where nobody says what it is. */
#define SEARCH_PATH_DEFAULT "/bin:/usr/bin"

/* PATH of the environment @envp; borrowed. */
const char *search_path_of(char *const *envp);

/*
 * Whether @path is a file that may be executed, and whether one of the folders of
 * @folders ("/bin:/usr/bin") has one that is called @name. All paths, and the links
 * on their way, begin in the folder @root; -1: as they are.
 */
bool is_executable(int root, const char *path);
bool search_path_has(int root, const char *folders, const char *name);

#endif
