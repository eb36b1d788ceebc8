/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_SEARCH_PATH_H
#define VBM_BASE_SEARCH_PATH_H

#include <stdbool.h>

/* PATH when the environment has none. */
#define SEARCH_PATH_DEFAULT "/bin:/usr/bin"

/* PATH of the environment @envp; borrowed. */
const char *search_path_of(char *const *envp);

/*
 * Whether @path is an executable file, and whether a folder of @folders ("/bin:/usr/bin")
 * has one called @name. All paths, and the links in them, are relative to the folder
 * @root; -1: not relative.
 */
bool search_path_is_executable(int root, const char *path);
bool search_path_has(int root, const char *folders, const char *name);

#endif
