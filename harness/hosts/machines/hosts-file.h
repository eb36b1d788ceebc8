/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINES_HOSTS_FILE_H
#define VBM_MACHINES_HOSTS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

struct diagnostics;
struct value;

/*
 * The machines of --hosts: verbatim-hosts(5). The result is the member "machines" of a job: a list
 * of maps with "name" (a, b, ...), and either "kernel" or perhaps "ssh", "command", "sudo", "device", "interface", "ip4" and
 * "ip6". The caller owns it.
 */

/* If the run starts kernels as machines, it starts this many. */
#define MACHINES_KERNELS 2

/* Reads the file at @path, or the environment if @path is "env". An error names line and column. */
int machines_read_any(const char *path, struct value **out, struct vbm_error *err);
bool machines_are_kernels(const struct value *machines);

/* The same for callers that start no kernels: -EINVAL if the machines are some. */
int machines_read(const char *path, struct value **out, struct vbm_error *err);

/* Pure. -EINVAL, with at least one diagnostic. */
int machines_parse(const char *text, size_t len, struct value **out, struct diagnostics *diag);

/*
 * The variables with which the kernel's own selftests (drivers/net) name two machines. Pure: @get returns
 * the value of a variable, or NULL.
 */
int machines_from_variables(const char *(*get)(const char *name), struct value **out, struct vbm_error *err);

#endif
