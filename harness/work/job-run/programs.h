/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_RUN_PROGRAMS_H
#define VBM_JOB_RUN_PROGRAMS_H

#include <stdbool.h>

#include <verbatim/error.h>

struct fabric;
struct item;
struct program_home;
struct value;
struct variant;

/*
 * The parts that the programs of one variant need: a process namespace and the
 * environment of each host. Agents start the programs; they end with the namespace.
 */
struct programs;

/* @spec is the job; its members "env", "env_bytes" and "cwd" are used. */
int programs_open(struct programs **out, const struct fabric *fabric, const struct value *spec,
		  struct vbm_error *err);

/* Whether a program of that name is in the PATH of @spec, as hosts for programs see it. */
bool programs_have(const struct value *spec, const char *name);

/* Borrowed, for the agents of a host; NULL where @p is. */
const struct program_home *programs_of(const struct programs *p, int host);

/*
 * Puts the current folder of a program of @item into its bound arguments: the folder of
 * the file that has its step, and "cwd" below it.
 */
void programs_set_folder(const struct programs *p, const struct variant *v,
			 const struct item *item, struct value *args);

/*
 * Call this after the agents have ended; then the logs have all output of the programs.
 * NULL is fine.
 */
void programs_close(struct programs *p);

#endif
