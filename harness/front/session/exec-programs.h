/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_PROGRAMS_H
#define VBM_SESSION_EXEC_PROGRAMS_H

struct value;

/* The folder with the programs ssh and rsh that lead to hosts. The caller frees; NULL: it is missing. */
char *exec_programs_folder(void);

/* Puts the programs that lead to hosts, and this run's socket, into @job. */
void exec_programs_put(struct value *job);

#endif
