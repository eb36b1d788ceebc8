/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: job-exec/rsh.c job-exec/rsh-message.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "job-exec/rsh.h"
#include "job/job.h"
#include "lib/base/fail.h"
#include "net/netns.h"
#include "base/address.h"
#include "program/process-ns.h"
#include "../help/bare-fabric.h"
#include "../help/descriptors.h"
#include "diag-help.h"

UNIT(.obstacle = bare_fabrics_obstacle, .all = {bare_fabrics_begin, bare_fabrics_end});

static void make_pair(int *sv)
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv), 0);
}

static void no_descriptors(const int *fds)
{
	int i;

	for (i = 0; i < RSH_FDS; i++)
		assert_int_equal(fds[i], -1);
}

TEST(test_message__descriptors__arrive)
{
	char text[RSH_MESSAGE_MAX], byte = 0;
	int sv[2], p[2], got[RSH_FDS], i, before = open_descriptors();

	make_pair(sv);
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	assert_int_equal(rsh_send(sv[0], "{}", (const int[]){p[1], p[1], p[0]}), 0);
	assert_int_equal(rsh_receive(sv[1], text, got), 2);
	assert_string_equal(text, "{}");
	for (i = 0; i < RSH_FDS; i++)
		assert_true(fcntl(got[i], F_GETFD) & FD_CLOEXEC);
	assert_int_equal(write(got[0], "x", 1), 1);
	assert_int_equal(read(got[2], &byte, 1), 1);
	assert_int_equal(byte, 'x');
	for (i = 0; i < RSH_FDS; i++)
		close(got[i]);
	close(p[0]);
	close(p[1]);
	close(sv[0]);
	close(sv[1]);
	assert_int_equal(open_descriptors(), before);
}

TEST(test_message__without__and_the_end)
{
	char text[RSH_MESSAGE_MAX];
	int sv[2], got[RSH_FDS];

	make_pair(sv);
	assert_int_equal(rsh_send(sv[0], "answer", NULL), 0);
	assert_int_equal(rsh_receive(sv[1], text, got), 6);
	no_descriptors(got);
	close(sv[0]);
	assert_int_equal(rsh_receive(sv[1], text, got), 0);
	assert_string_equal(text, "");
	/* A closed other side must not kill this process. */
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(rsh_send(sv[1], "x", NULL), -EPIPE);
	close(sv[1]);
	assert_int_equal(rsh_receive(sv[1], text, got), -EBADF);
	no_descriptors(got);
}

TEST(test_message__length__has_a_limit)
{
	char text[RSH_MESSAGE_MAX];
	auto_free char *large = xcalloc(RSH_MESSAGE_MAX + 1, 1);
	int sv[2], got[RSH_FDS], size = 4 * RSH_MESSAGE_MAX;

	make_pair(sv);
	setsockopt(sv[0], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	memset(large, 'x', RSH_MESSAGE_MAX);
	assert_int_equal(rsh_send(sv[0], large, NULL), 0);
	assert_int_equal(rsh_receive(sv[1], text, got), -EMSGSIZE);
	large[RSH_MESSAGE_MAX - 1] = '\0';
	assert_int_equal(rsh_send(sv[0], large, NULL), 0);
	assert_int_equal(rsh_receive(sv[1], text, got), RSH_MESSAGE_MAX - 1);
	assert_int_equal(strlen(text), RSH_MESSAGE_MAX - 1);
	close(sv[0]);
	close(sv[1]);
}

/* Further descriptors are closed, and so are those of a wrong number. */
TEST(test_message__too_many_descriptors__are_closed)
{
	char text[RSH_MESSAGE_MAX], control[CMSG_SPACE(2 * sizeof(int))] = {0};
	struct iovec iov = {.iov_base = (char[]){"x"}, .iov_len = 1};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			     .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int sv[2], got[RSH_FDS], before;

	make_pair(sv);
	before = open_descriptors();
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(c), sv, 2 * sizeof(int));
	assert_int_equal(sendmsg(sv[0], &msg, 0), 1);
	assert_int_equal(rsh_receive(sv[1], text, got), 1);
	assert_int_equal(got[RSH_FDS - 1], -1);
	close(got[0]);
	close(got[1]);
	assert_int_equal(open_descriptors(), before);
	close(sv[0]);
	close(sv[1]);
}

/* A server for two hosts, as it runs beside the commands of a job. */
struct hosts {
	struct fabric *fabric;
	struct process_ns ns;
	struct value *spec;	/* owned */
	struct job job;
	struct rsh rsh;
	char name[64];
};

static void begin_with(struct hosts *h, enum layout layout)
{
	auto_free char *spec = NULL;
	struct vbm_error err = {0};

	*h = (struct hosts){.fabric = bare_fabric(layout, 2), .ns = PROCESS_NS_CLOSED};
	snprintf(h->name, sizeof(h->name), "verbatim-test-rsh-%d", getpid());
	spec = xasprintf(JOB_EXEC "\"cwd\": \"/\", \"rsh_socket\": \"%s\"}",
			 h->name);
	h->spec = must_read_json(spec);
	h->job = (struct job){.spec = h->spec};
	assert_int_equal(process_ns_open(&h->ns, NULL), 0);
	if (rsh_start(&h->rsh, &h->job, h->fabric, &h->ns, &err) < 0)
		fail_msg("%s", err.msg);
}

static int begin(void **state)
{
	static struct hosts h;

	begin_with(&h, LAYOUT_NETNS);
	*state = &h;
	return 0;
}

static int end(void **state)
{
	struct hosts *h = *state;

	rsh_stop(&h->rsh);
	assert_int_equal(h->rsh.pid, 0);
	process_ns_close(&h->ns);
	fabric_free(h->fabric);
	value_free(h->spec);
	return 0;
}

/* Ask in the way of a program on @host. */
static int ask(const struct hosts *h, int host, const char *request, const int *fds)
{
	struct sockaddr_un sa;
	socklen_t len;
	int fd;

	assert_int_equal(address_abstract(h->name, &sa, &len), 0);
	assert_int_equal(netns_socket(fabric_netns_fd(h->fabric, host), AF_UNIX,
				      SOCK_SEQPACKET | SOCK_CLOEXEC, &fd, NULL), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&sa, len), 0);
	assert_int_equal(rsh_send(fd, request, fds), 0);
	return fd;
}

/* The answer, and what the command wrote. */
static void must_answer(const struct hosts *h, int host, const char *request, const char *answer,
			const char *output)
{
	char text[RSH_MESSAGE_MAX], said[64] = "";
	int p[2], got[RSH_FDS], fd;

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	fd = ask(h, host, request, (const int[]){p[0], p[1], p[1]});
	assert_true(rsh_receive(fd, text, got) > 0);
	assert_string_equal(text, answer);
	/* An answer is one message, and the last. */
	assert_int_equal(rsh_receive(fd, text, got), 0);
	close(p[1]);
	assert_int_equal(read(p[0], said, sizeof(said) - 1), strlen(output));
	assert_string_equal(said, output);
	close(p[0]);
	close(fd);
}

TEST_BETWEEN(test_rsh__command__runs_and_its_status_comes, begin, end)
{
	const struct hosts *h = *state;

	must_answer(h, 0, "{\"host\": \"b\", \"command\": \"echo out; echo err >&2; exit 3\", \"cwd\": \"/\"}",
		    "{\"status\":3}", "out\nerr\n");
	must_answer(h, 1, "{\"host\": \"a\", \"command\": \"pwd; kill -9 $$\", \"cwd\": \"/usr\"}",
		    "{\"status\":137}", "/usr\n");
}

TEST_BETWEEN(test_rsh__host__by_any_of_its_names, begin, end)
{
	const struct hosts *h = *state;
	auto_free char *ip4 = xasprintf("{\"host\": \"%s\", \"command\": \"exit 4\", \"cwd\": \"/\"}",
					fabric_host(h->fabric, 1)->ip4);
	auto_free char *ip6 = xasprintf("{\"host\": \"%s\", \"command\": \"exit 5\", \"cwd\": \"/\"}",
					fabric_host(h->fabric, 1)->ip6);

	must_answer(h, 0, ip4, "{\"status\":4}", "");
	must_answer(h, 0, ip6, "{\"status\":5}", "");
	must_answer(h, 0, "{\"host\": \"c\", \"command\": \"exit 0\", \"cwd\": \"/\"}",
		    "{\"error\":\"there is no host 'c'; there are a to b\"}", "");
	must_answer(h, 0, "{\"command\": \"exit 0\"}",
		    "{\"error\":\"there is no host ''; there are a to b\"}", "");
}

/* A client with an invalid request gets an answer, and the next client is served. */
TEST_BETWEEN(test_rsh__nonsense__is_answered, begin, end)
{
	const struct hosts *h = *state;
	char text[RSH_MESSAGE_MAX];
	int got[RSH_FDS], fd;

	fd = ask(h, 0, "nonsense", NULL);
	assert_true(rsh_receive(fd, text, got) > 0);
	assert_ptr_equal(strstr(text, "{\"error\":"), text);
	close(fd);
	fd = ask(h, 0, "{\"host\": \"a\", \"command\": \"exit 0\"}", NULL);
	assert_true(rsh_receive(fd, text, got) > 0);
	assert_non_null(strstr(text, "without a command or without descriptors"));
	close(fd);
	must_answer(h, 0, "{\"host\": \"a\", \"command\": \"exit 6\", \"cwd\": \"/\"}", "{\"status\":6}", "");
}

/* Several at the same time: the first ends because of the second. */
TEST_BETWEEN(test_rsh__commands__run_side_by_side, begin, end)
{
	const struct hosts *h = *state;
	char text[RSH_MESSAGE_MAX];
	int p[2], got[RSH_FDS], fd;

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	fd = ask(h, 0, "{\"host\": \"a\", \"command\": \"read x; exit $x\", \"cwd\": \"/\"}",
		 (const int[]){p[0], p[1], p[1]});
	{
		int other = ask(h, 1, "{\"host\": \"b\", \"command\": \"echo 7\", \"cwd\": \"/\"}",
				(const int[]){p[0], p[1], p[1]});

		assert_true(rsh_receive(other, text, got) > 0);
		assert_string_equal(text, "{\"status\":0}");
		close(other);
	}
	assert_true(rsh_receive(fd, text, got) > 0);
	assert_string_equal(text, "{\"status\":7}");
	close(fd);
	close(p[0]);
	close(p[1]);
}

/* The client closes, which also ends a command that ignores that. */
TEST_BETWEEN(test_rsh__hang_up__is_a_signal, begin, end)
{
	const struct hosts *h = *state;
	char said[16] = "";
	int p[2], fd;

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	fd = ask(h, 0, "{\"host\": \"a\", \"command\": \"echo up; exec sleep 1000\", \"cwd\": \"/\"}",
		 (const int[]){p[0], p[1], p[1]});
	close(p[1]);
	assert_int_equal(read(p[0], said, sizeof(said)), 3);
	assert_memory_equal(said, "up\n", 3);
	close(fd);
	/* No process can write there any more. */
	assert_int_equal(read(p[0], said, sizeof(said)), 0);
	close(p[0]);
}

/* All hosts are in one network: one address is enough. */
TEST(test_rsh__shared_layout__has_one_address)
{
	struct hosts h;
	void *ours = &h;

	begin_with(&h, LAYOUT_SHARED);
	must_answer(&h, 1, "{\"host\": \"b\", \"command\": \"exit 8\", \"cwd\": \"/\"}", "{\"status\":8}", "");
	end(&ours);
}

TEST_BETWEEN(test_rsh__no_name__starts_nothing, begin, end)
{
	auto_value struct value *spec = must_read_json(JOB_EXEC "\"cwd\": \"/\"}");
	struct hosts *h = *state;
	struct job job = {.spec = spec};
	struct rsh rsh = {.pid = 7};

	assert_int_equal(rsh_start(&rsh, &job, h->fabric, &h->ns, NULL), 0);
	assert_int_equal(rsh.pid, 0);
	rsh_stop(&rsh);
}
