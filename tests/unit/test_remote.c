/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: host-ssh/hosts.c host-ssh/env.c host-ssh/ssh-line.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "host-ssh/host-ssh.h"
#include "host-ssh/ssh-line.h"

static const char *const variables[] = {
	"PATH=/bin", "VERBATIM_IP=10.86.0.1", "VERBATIM_IP_A=10.86.0.1", "VERBATIM_IP6_A=fd86::1",
	"VERBATIM_IP_AB=10.86.0.28", "VERBATIM_IP6_AB=fd86::1c", "VERBATIM_IP_TOOLONGNAME=10.86.0.9",
	"VERBATIM_IP_=10.86.0.8", "UCX_TLS=rc", "UCX_NET=x", "OTHER=y", "without a sign", NULL,
};

#define env ((char *const *)(uintptr_t)variables)

static const char hosts_file[] =
	"127.0.0.1\tlocalhost\n"
	"10.86.0.1 a head # not-this\n"
	"192.0.2.1 elsewhere\n"
	"name head2\n"
	"fd86:0::1c\tab tail\n";

TEST(test_remote__names__mean_hosts_of_the_run_only)
{
	static const struct {
		const char *name, *host;
	} rows[] = {
		{"a", "a"}, {"ab", "ab"}, {"10.86.0.28", "ab"}, {"fd86::1c", "ab"}, {"FD86:0::1", "a"},
		{"head", "a"}, {"HEAD", "a"}, {"tail", "ab"}, {"not-this", ""}, {"b", ""}, {"localhost", ""},
		{"127.0.0.1", ""}, {"elsewhere", ""}, {"head2", ""}, {"", ""}, {"10.86.0.9", ""},
		{"10.86.0.8", ""}, {"10.86.0.2", ""}, {"fd86::", ""},
	};
	char host[8];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(host_ssh_host(env, hosts_file, rows[i].name, host), rows[i].host[0] != '\0');
		assert_string_equal(host, rows[i].host);
	}
}

TEST(test_remote__variables__match_patterns_and_never_tell_about_the_fabric)
{
	char **list = host_ssh_env(env, "UCX_* VERBATIM_* without*");

	assert_string_equal(list[0], "UCX_TLS=rc");
	assert_string_equal(list[1], "UCX_NET=x");
	assert_null(list[2]);
	host_ssh_env_free(list);
	list = host_ssh_env(env, " ");
	assert_null(list[0]);
	host_ssh_env_free(list);
}

static int read_line(struct ssh_line *line, const char *const *words, struct vbm_error *err)
{
	return ssh_line_read(line, (char **)(uintptr_t)words, err);
}

TEST(test_remote__ssh_line__is_read_as_ssh_reads_it)
{
	const char *words[] = {"ssh", "-qnx", "-p22", "-oSendEnv=A B*", "-o", "setenv X=1", "-l", "me", "you@me@b", "-t",
			 "--", "-n", "two  words", NULL};
	const char *bare[] = {"ssh", "-T", "b", NULL};
	const char *back[] = {"ssh", "-o", "StdinNull=no", "-f", "b", "true", NULL};
	auto_free char *text = NULL;
	struct ssh_line line;

	assert_int_equal(read_line(&line, words, NULL), 0);
	assert_string_equal(line.host, "b");
	assert_true(line.no_input);
	assert_false(line.background);
	assert_int_equal(line.terminal, 1);
	assert_string_equal(line.send.s, "A B* ");
	assert_string_equal(line.set.s, "X=1\n");
	text = ssh_line_join(line.words);
	assert_string_equal(text, "-n two  words");
	ssh_line_fini(&line);
	assert_int_equal(read_line(&line, bare, NULL), 0);
	assert_null(line.words[0]);
	assert_int_equal(line.terminal, -1);
	ssh_line_fini(&line);
	assert_int_equal(read_line(&line, back, NULL), 0);
	assert_true(line.background && line.no_input);
	ssh_line_fini(&line);
}

/* As runfabtests.sh, LTP, the kernel's selftests, Open MPI and MPICH were seen to call ssh. */
TEST(test_remote__ssh_line__of_other_suites__leads_to_their_host)
{
	static const struct {
		const char *words[12];
		const char *host, *text;
		bool no_input;
	} rows[] = {
		{{"ssh", "-n", "-o", "StrictHostKeyChecking=no", "-o", "ConnectTimeout=30", "-o", "BatchMode=yes",
		  "10.86.0.2", " fi_msg -p \"verbs\""}, "10.86.0.2", " fi_msg -p \"verbs\"", true},
		{{"ssh", "-nq", "root@b", " ip addr  || echo RTERR"}, "b", " ip addr  || echo RTERR", true},
		{{"ssh", "-q", "root@b", "cat /proc/net/tcp*"}, "b", "cat /proc/net/tcp*", false},
		{{"ssh", "-x", "b", " orted", "-mca", "ess", "\"env\""}, "b", " orted -mca ess \"env\"", false},
		{{"ssh", "-x", "c", "\"/usr/bin/hydra_pmi_proxy\"", "--usize", "-2"}, "c",
		 "\"/usr/bin/hydra_pmi_proxy\" --usize -2", false},
	};
	struct ssh_line line;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_free char *text = NULL;

		assert_int_equal(read_line(&line, rows[i].words, NULL), 0);
		text = ssh_line_join(line.words);
		assert_string_equal(line.host, rows[i].host);
		assert_string_equal(text, rows[i].text);
		assert_int_equal(line.no_input, rows[i].no_input);
		ssh_line_fini(&line);
	}
}

TEST(test_remote__ssh_line__a_bad_option_is_told_with_its_host)
{
	static const struct {
		const char *words[5];
		const char *says;
	} rows[] = {
		{{"ssh", "-N", "b"}, "-N is not possible"},
		{{"ssh", "b", "-L1:c:2"}, "-L is not possible"},
		{{"ssh", "-o", "RemoteForward=1:c:2", "b"}, "RemoteForward is not possible"},
		{{"ssh", "-Z", "-N", "b"}, "unknown option '-Z'"},
		{{"ssh", "b", "-p"}, "option '-p' needs a value"},
	};
	struct ssh_line line;
	struct vbm_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(read_line(&line, rows[i].words, &err), -EINVAL);
		assert_non_null(strstr(err.msg, rows[i].says));
		assert_string_equal(line.host, "b");
		ssh_line_fini(&line);
	}
}

TEST(test_remote__programs__are_found_by_name)
{
	assert_true(host_ssh_is_program("ssh"));
	assert_false(host_ssh_is_program("scp"));
	assert_true(host_ssh_is_program("rsh"));
	assert_false(host_ssh_is_program("verbatim"));
}
