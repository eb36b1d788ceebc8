/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXECUTE_PROGRAMS_H
#define VBM_EXECUTE_PROGRAMS_H

#include <stdbool.h>

#include <verbatim/error.h>

struct fabric;
struct item;
struct program_home;
struct value;
struct variant;

/*
 * What the programs of one variant stand on: a process namespace of their own and
 * the environment of each host. Agents start them; they end with it.
 */
struct programs;

/* @spec: the job, of which "env", "env_bytes" and "cwd" count. */
int programs_open(struct programs **out, const struct fabric *fabric, const struct value *spec,
		  struct vbm_error *err);

/* Whether a program of that name is in the PATH of @spec, as hosts for programs see it. */
bool programs_have(const struct value *spec, const char *name);

/* Borrowed, for the agents of a host; NULL where @p is. */
const struct program_home *programs_of(const struct programs *p, int host);

/*
 * Put the folder that a program of @item runs in into its bound arguments: that of
 * the file in which its step stands, and what "cwd" says from there on.
 */
void programs_set_folder(const struct programs *p, const struct variant *v,
			 const struct item *item, struct value *args);

/* After the agents: what the programs wrote last is in the logs then. NULL is fine. */
void programs_close(struct programs *p);

#endif
