/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-exec/rsh.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/watch.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "fabric/fabric.h"
#include "fabric/host-ns.h"
#include "job/job.h"
#include "lib/base/fail.h"
#include "net/netns.h"
#include "base/address.h"
#include "process/child.h"
#include "program/process-ns.h"
#include "program/spawn.h"

#define BACKLOG 128

/* A connection, from its acceptance to the end of its command. */
struct session {
	struct rsh_server *server;
	struct watch end;	/* of the command: its pidfd, owned, or -1 */
	struct watch conn;	/* owned; -1: the other side has closed it */
	pid_t pid;		/* 0: not started */
};

struct rsh_listener {
	struct rsh_server *server;
	struct watch client;	/* owned; accepts connections */
};

struct rsh_server {
	const struct job *job;
	const struct fabric *fabric;
	struct process_ns ns;
	struct rsh_listener listener[FABRIC_HOSTS_MAX];	/* one for each network namespace */
	size_t listeners;
	struct loop loop;
};

/* Hosts of layout shared are in one network namespace. */
static int listen_on(struct rsh_server *s, int host, const struct sockaddr_un *sa, socklen_t len,
		     struct vbm_error *err)
{
	int fd, rc = netns_socket(fabric_netns_fd(s->fabric, host), AF_UNIX,
				  SOCK_SEQPACKET | SOCK_CLOEXEC, &fd, err);

	if (rc < 0)
		return rc;
	if (bind(fd, (const struct sockaddr *)sa, len) == 0 && listen(fd, BACKLOG) == 0) {
		s->listener[s->listeners++].client.fd = fd;
		return 0;
	}
	rc = errno;
	close(fd);
	return rc == EADDRINUSE && host ? 0 :
	       vbm_fail(err, rc, "cannot wait for verbatim-rsh: %s", strerror(rc));
}

static int listen_on_all(struct rsh_server *s, const char *name, struct vbm_error *err)
{
	struct sockaddr_un sa;
	socklen_t len;
	int i, rc = address_abstract(name, &sa, &len);

	if (rc < 0)
		return vbm_fail(err, -rc, "'%s' is no valid name of a socket", name);
	for (i = 0; rc == 0 && i < fabric_host_count(s->fabric); i++)
		rc = listen_on(s, i, &sa, len, err);
	return rc;
}

/* The host with this name or address; negative if there is none. */
static int host_called(const struct rsh_server *s, const char *name)
{
	const struct host_info *h;
	int i;

	for (i = 0; i < fabric_host_count(s->fabric); i++) {
		h = fabric_host(s->fabric, i);
		if (!strcmp(name, h->name) || !strcmp(name, h->ip4) || !strcmp(name, h->ip6))
			return i;
	}
	return -1;
}

/* The job, with the variables of the request in its environment. The caller frees it. */
static struct value *job_with(const struct value *job, const struct value *request)
{
	const struct value *more = value_get(request, "env");
	struct value *own = value_dup(job), *list = value_get(own, "env_bytes");
	size_t i;

	for (i = 0; list && more && more->type == VALUE_LIST && i < more->list.count; i++)
		value_append(list, value_dup(more->list.item[i]));
	return own;
}

static int start_session(const struct rsh_server *s, struct session *c, const struct value *request,
			 const int *fds, struct vbm_error *err)
{
	const char *name = value_get_string(request, "host", "");
	auto_free char *text = json_bytes_read(value_get(request, "command"));
	auto_free char *cwd = json_bytes_read(value_get(request, "cwd"));
	const char *const argv[] = {"/bin/sh", "-c", text, NULL};
	int host = host_called(s, name), n = fabric_host_count(s->fabric), pidfd = -1, rc;
	auto_value struct value *spec = NULL;
	struct spawn spawn = {
		.process_ns = &s->ns, .argv = argv, .cwd = cwd,
		.stdio = {fds[0], fds[1], fds[2]},
	};

	if (host < 0)
		return vbm_fail(err, ENOENT, "there is no host '%s'; there are a to %s", name,
				fabric_host(s->fabric, n - 1)->name);
	if (!text || fds[RSH_FDS - 1] < 0)
		return vbm_fail(err, EPROTO, "a request without a command or without descriptors");
	spec = job_with(s->job->spec, request);
	rc = spawn_on_host(&spawn, s->fabric, host, spec, &c->pid, &pidfd, err);
	vbm_watch_set(&c->end, pidfd, POLLIN);
	return rc;
}

static void answer_session(struct session *c, const char *key, struct value *v)
{
	auto_value struct value *map = value_map();
	auto_free char *text = NULL;

	value_set(map, key, v);
	text = json_write(map);
	if (c->conn.fd >= 0) {
		rsh_send(c->conn.fd, text, NULL);
		watch_close(&c->conn);
	}
}

static void drop_when_over(struct session *c)
{
	if (c->conn.fd >= 0 || c->pid)
		return;
	vbm_loop_remove(&c->server->loop, &c->end);
	vbm_loop_remove(&c->server->loop, &c->conn);
	free(c);
}

/* Reads a request, or notices that the asking side has closed the connection. */
static void read_session(struct watch *conn, uint32_t events)
{
	static char text[RSH_MESSAGE_MAX];
	struct session *c = OWNER_OF(conn, struct session, conn);
	auto_value struct value *request = NULL;
	struct vbm_error err = {0};
	int fds[RSH_FDS], i, n = rsh_receive(conn->fd, text, fds);

	(void)events;
	if (n <= 0 || c->pid) {
		watch_close(conn);
		if (c->pid)
			spawn_signal(c->pid, SIGHUP);
	} else {
		request = json_read(text, (size_t)n, &err);
		if (!request || start_session(c->server, c, request, fds, &err) < 0)
			answer_session(c, "error", value_string(err.msg));
	}
	for (i = 0; i < RSH_FDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	drop_when_over(c);
}

/* From now on, a hang-up of the asking side does not matter. */
static void report_exit(struct watch *end, uint32_t events)
{
	struct session *c = OWNER_OF(end, struct session, end);
	int status = spawn_reap_alone(c->pid);

	(void)events;
	watch_close(end);
	c->pid = 0;
	answer_session(c, "status", value_int(status));
	drop_when_over(c);
}

static void add_session(struct watch *client, uint32_t events)
{
	struct rsh_listener *l = OWNER_OF(client, struct rsh_listener, client);
	int fd = accept4(client->fd, NULL, NULL, SOCK_CLOEXEC);
	struct rsh_server *s = l->server;
	struct session *c;

	(void)events;
	if (fd < 0)
		return;
	c = xcalloc(1, sizeof(*c));
	c->server = s;
	watch_add(&s->loop, &c->end, -1, POLLIN, report_exit);
	watch_add(&s->loop, &c->conn, fd, POLLIN, read_session);
}

static void __attribute__((noreturn)) serve_sessions(struct rsh_server *s, pid_t parent)
{
	int keep[FABRIC_NAMESPACE_FDS_MAX + FABRIC_HOSTS_MAX + 2];
	size_t n = fabric_namespace_fds(s->fabric, keep), k;

	for (k = 0; k < s->listeners; k++)
		keep[n++] = s->listener[k].client.fd;
	keep[n++] = s->ns.home;
	keep[n++] = s->ns.inside;
	if (child_begin(&(struct child_setup){
			.parent = parent, .name = "verbatim-rsh", .keep = keep, .keep_count = n,
		}) < 0)
		_exit(1);
	vbm_loop_init_plain(&s->loop);
	for (k = 0; k < s->listeners; k++) {
		s->listener[k].server = s;
		watch_add(&s->loop, &s->listener[k].client, s->listener[k].client.fd, POLLIN,
			  add_session);
	}
	for (;;)
		vbm_loop_run(&s->loop, -1);
}

int rsh_start(struct rsh *rsh, const struct job *job, const struct fabric *fabric,
	      const struct process_ns *ns, struct vbm_error *err)
{
	const char *name = event_string_or(job->spec, "rsh_socket", NULL);
	struct rsh_server s = {.job = job, .fabric = fabric,
			   .ns = process_ns_lent(ns)};
	pid_t parent = getpid();
	int rc;
	size_t i;

	rsh->pid = 0;
	if (!name)
		return 0;
	rc = listen_on_all(&s, name, err);
	if (rc == 0) {
		rsh->pid = fork();
		if (rsh->pid == 0)
			serve_sessions(&s, parent);
		if (rsh->pid < 0)
			rc = vbm_fail(err, errno, "cannot start a process for verbatim-rsh: %s",
				      strerror(errno));
	}
	for (i = 0; i < s.listeners; i++)
		close(s.listener[i].client.fd);
	return rc;
}

void rsh_stop(struct rsh *rsh)
{
	child_end(rsh->pid);
	rsh->pid = 0;
}
