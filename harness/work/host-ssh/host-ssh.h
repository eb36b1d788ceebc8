/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_HOST_SSH_HOST_SSH_H
#define VBM_HOST_SSH_HOST_SSH_H

/*
 * Runs in: the process that a program on a host has started as ssh or rsh, in one thread.
 * Owns:    one connection to the process that starts commands.
 * Ends:    with the command.
 * Tests:   unit/test_remote; tests/guest/ssh.test.
 */

#include <stdbool.h>
#include <stddef.h>

/*
 * The programs of this binary that start commands on other hosts. Programs on hosts find
 * them as ssh and rsh at the head of PATH, and by VERBATIM_RSH. Each has the status
 * that the program of its name has.
 */

/* The status of ssh(1) for its own failures. */
#define REMOTE_FAILED 255

/*
 * hosts.c, pure. The host that @name means to programs with the environment @env, on a
 * host with the text @hosts_file in /etc/hosts: a host's name, its address, or a name that
 * the file has for its address. False: none, and @host is empty.
 */
bool host_ssh_host(char *const *env, const char *hosts_file, const char *name, char host[8]);
/* The same for this process. */
bool host_ssh_host_here(const char *name, char host[8]);

/*
 * env.c, pure. The variables of @env whose names match a pattern of fnmatch(3) in
 * @patterns (words), without those that tell about the fabric. The caller frees the list.
 */
char **host_ssh_env(char *const *env, const char *patterns);
void host_ssh_env_free(char **env);

/* ssh.c */
int host_ssh_verbatim_rsh(char **argv);
bool host_ssh_names_command(char **argv);	/* whether a host and a command are among the arguments */
bool host_ssh_is_program(const char *name);	/* "ssh" or "rsh" */
int host_ssh_open(const char *program, char **argv);

#endif
