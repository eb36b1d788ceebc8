/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: program/host-env.c program/spawn.c program/activity.c */
#include "cmocka_all.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "program/host-env.h"
#include "program/activity.h"
#include "program/spawn.h"
#include "step/step.h"

static const struct host_info hosts[] = {
	{.name = "a", .dev = "vb_1_a", .netdev = "vb-1-a", .ip4 = "10.0.0.1", .ip6 = "fd00::1",
	 .gid_index4 = 1, .gid_index6 = 2, .port = 1},
	{.name = "b", .dev = "vb_1_b", .netdev = "vb-1-b", .ip4 = "10.0.0.2", .ip6 = "fd00::2",
	 .gid_index4 = 3, .gid_index6 = 4, .port = 1},
};

static bool env_has(char **env, const char *line)
{
	for (; *env; env++)
		if (strcmp(*env, line) == 0)
			return true;
	return false;
}

TEST(test_exec__environment__tells_the_host_what_it_is)
{
	auto_value struct value *job = value_map();
	auto_value struct value *found = value_map();
	struct value *base = value_map(), *bytes = value_list();
	char **env;

	value_set_string(base, "PATH", "/bin");
	value_set_string(base, "VERBATIM_IP", "from outside");
	value_set_string(base, "VERBATIM_TERMINAL_FD", "7");
	value_set_string(base, "VERBATIM_READY_B", "from outside");
	value_set_string(found, "a", "port 7");
	value_append(bytes, json_bytes("NA\xffME=VAL\xfeUE=x"));
	value_append(bytes, json_bytes("VERBATIM_\xff=y"));
	value_append(bytes, json_bytes("no sign"));
	value_set_string(job, "job", "exec");
	value_set(job, "env", base);
	value_set(job, "env_bytes", bytes);
	env = host_env(hosts, ARRAY_SIZE(hosts), 1, job, found);
	assert_true(env_has(env, "NA\xffME=VAL\xfeUE=x"));
	assert_false(env_has(env, "VERBATIM_\xff=y"));
	assert_true(env_has(env, "PATH=/bin"));
	assert_true(env_has(env, "VERBATIM_HOST=b"));
	assert_true(env_has(env, "VERBATIM_DEV=vb_1_b"));
	assert_true(env_has(env, "VERBATIM_IP=10.0.0.2"));
	assert_true(env_has(env, "VERBATIM_GID_INDEX=3"));
	assert_true(env_has(env, "VERBATIM_GID_INDEX6=4"));
	assert_true(env_has(env, "VERBATIM_FACTOR=1"));
	assert_true(env_has(env, "VERBATIM_IP_A=10.0.0.1"));
	assert_true(env_has(env, "VERBATIM_IP6_B=fd00::2"));
	assert_true(env_has(env, "VERBATIM_READY_A=port 7"));
	assert_false(env_has(env, "VERBATIM_READY_B=from outside"));
	assert_false(env_has(env, "VERBATIM_IP=from outside"));
	assert_false(env_has(env, "VERBATIM_TERMINAL_FD=7"));
	assert_false(env_has(env, "HYDRA_LAUNCHER_EXEC=/bin/verbatim-rsh"));
	host_env_free(env);
	value_set(job, "rsh", json_bytes("/bin/verbatim-rsh"));
	value_set_string(job, "rsh_socket", "name");
	value_set_string(base, "OMPI_MCA_plm_rsh_agent", "mine");
	env = host_env(hosts, ARRAY_SIZE(hosts), 1, job, NULL);
	assert_true(env_has(env, "VERBATIM_RSH=/bin/verbatim-rsh"));
	assert_true(env_has(env, "HYDRA_LAUNCHER_EXEC=/bin/verbatim-rsh"));
	assert_true(env_has(env, "PRTE_MCA_plm_ssh_agent=/bin/verbatim-rsh"));
	assert_true(env_has(env, "OMPI_MCA_plm_rsh_agent=mine"));
	host_env_free(env);
}

TEST(test_exec__listening__is_read_from_the_kernels_table)
{
	assert_int_equal(activity_tcp_inode(
		"   0: 0100007F:1D2F 00000000:0000 0A 00000000:00000000 00:00000000 00000000"
		"     0        0 4711 1 ffff8880 100 0 0 10 0"), 4711);
	assert_int_equal(activity_tcp_inode(
		"  12: 00000000000000000000000000000000:4865 00000000000000000000000000000000:0000 "
		"0A 00000000:00000000 00:00000000 00000000     0        0 99 1 0 100 0 0 10 0"), 99);
	/* A connected socket; the head of the table; nonsense. */
	assert_int_equal(activity_tcp_inode(
		"   0: 0100007F:1D2F 0100007F:1D30 01 00000000:00000000 00:00000000 00000000"
		"     0        0 4711 1 0 100 0 0 10 0"), 0);
	assert_int_equal(activity_tcp_inode(
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt"), 0);
	assert_int_equal(activity_tcp_inode(""), 0);
}

/* Start sh -c @text. Its output can be read from *@out. */
static pid_t start(const char *text, int *out, int *pidfd)
{
	const char *const argv[] = {"sh", "-c", text, NULL};
	static char path[] = "PATH=/usr/bin:/bin";
	char *envp[] = {path, NULL};
	struct vbm_error err;
	int p[2];
	pid_t pid;

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	assert_int_equal(spawn_start(&(struct spawn){
		.argv = argv,
		.envp = envp,
		.cwd = "/no/such/folder",
		.stdio = {p[0], p[1], p[1]},
	}, &pid, pidfd, &err), 0);
	close(p[1]);
	*out = p[0];
	return pid;
}

static int finish(pid_t pid, int pidfd)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	assert_int_equal(poll(&p, 1, 10000), 1);
	close(pidfd);
	return spawn_reap(pid);
}

static void check_run(const char *text, int status, const char *printed)
{
	char buf[256];
	int out, pidfd;
	pid_t pid = start(text, &out, &pidfd);
	struct pollfd p = {.fd = out, .events = POLLIN};
	size_t len = 0;
	ssize_t n;

	assert_int_equal(finish(pid, pidfd), status);
	/* Read to the end: no process has the other side open any more. */
	do {
		assert_int_equal(poll(&p, 1, 5000), 1);
		n = read(out, buf + len, sizeof(buf) - 1 - len);
		assert_true(n >= 0);
		len += (size_t)n;
	} while (n > 0);
	close(out);
	buf[len] = '\0';
	assert_string_equal(buf, printed);
}

TEST(test_exec__spawn__runs_in_a_session_of_its_own)
{
	check_run("pwd; exit 7", 7, "/\n");
	check_run("echo $PATH", 0, "/usr/bin:/bin\n");
	check_run("kill -TERM $$", 128 + SIGTERM, "");
	check_run("kill -PIPE $$", 128 + SIGPIPE, "");
	/*
	 * The command has a process group of its own, and the group's other processes end
	 * with it.
	 */
	check_run("test $(ps -o pgid= -p $$) = $$ && echo own", 0, "own\n");
	check_run("sleep 1000 & echo left", 0, "left\n");
}

/* The program that started verbatim may have left descriptors open in it. */
TEST(test_exec__spawn__gets_no_descriptor_but_the_standard_ones)
{
	int fd = open("/dev/null", O_RDONLY);

	assert_int_equal(dup2(fd, 20), 20);
	check_run("test -e /proc/$$/fd/20 && echo open", 1, "");
	close(20);
	close(fd);
}

TEST(test_exec__spawn__says_when_there_is_no_such_program)
{
	const char *const argv[] = {"no-such-program", NULL};
	char *envp[] = {NULL};
	struct vbm_error err;
	char buf[256];
	int p[2], pidfd;
	pid_t pid;
	ssize_t n;

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	assert_int_equal(spawn_start(&(struct spawn){
		.argv = argv, .envp = envp, .cwd = "/",
		.stdio = {p[0], p[1], p[1]},
	}, &pid, &pidfd, &err), 0);
	assert_int_equal(finish(pid, pidfd), 127);
	n = read(p[0], buf, sizeof(buf) - 1);
	assert_true(n > 0);
	buf[n] = '\0';
	assert_string_equal(buf, "verbatim: no-such-program: No such file or directory\n");
	close(p[0]);
	close(p[1]);
}
