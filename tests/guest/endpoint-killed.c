/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of endpoint-program whose peer is killed. The peer is this program
 * again, in a role; it says when it has come to its place, and stays there.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "endpoint-program.h"

struct victim start_victim(const char *role)
{
	const char *argv[] = {"endpoint-program", self, nobody, rdma_device, role,
			      by_cm() ? "0" : "1", NULL};
	struct victim v;
	int p[2];

	if (pipe(p))
		die("no pipe");
	fflush(stdout);
	v.pid = fork();
	if (v.pid == 0) {
		dup2(p[1], 1);
		close(p[0]);
		close(p[1]);
		execv("/proc/self/exe", (char **)(uintptr_t)argv);
		_exit(127);
	}
	close(p[1]);
	v.out = fdopen(p[0], "r");
	return v;
}

/* Whether it has come where the role stops. */
bool is_there(struct victim *v)
{
	char line[200] = "";

	if (!fgets(line, sizeof(line), v->out) || strcmp(line, "here\n") != 0) {
		printf("# the peer says: %s\n", line);
		return false;
	}
	return true;
}

void kill_victim(struct victim *v)
{
	kill(v->pid, SIGKILL);
	waitpid(v->pid, NULL, 0);
	fclose(v->out);
}

static int here(const struct vbm_endpoint *ep, int rc)
{
	puts(rc ? ep->error.msg : "here");
	fflush(stdout);
	pause();
	return 1;
}

int peer(const char *role)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *ep = create(&o), *server = NULL;
	int rc;

	if (strcmp(role, "connects") == 0)
		return here(ep, vbm_connect(ep, self, PORT));
	rc = vbm_listen(ep, self, PORT);
	if (rc || strcmp(role, "listens") == 0)
		return here(ep, rc);
	/* The one that is asked says so before, as its peer waits for that. */
	printf("here\n");
	fflush(stdout);
	rc = vbm_get_request(ep, &server, -1);
	if (rc || strcmp(role, "requested") == 0)
		return here(ep, rc);
	return here(server, vbm_accept(server, NULL, 0));
}

static void client_dies(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *l = listener_of(&o, self), *server;
	struct victim v = start_victim("connects");
	int rc;

	ok(returns(l, vbm_get_request(l, &server, PATIENCE_MS), 0), "a client asks");
	kill_victim(&v);
	rc = vbm_accept(server, NULL, 0);
	ok(returns(server, rc, ECONNABORTED) && server->state == VBM_ENDPOINT_FAILED &&
	   state_of(server) == IBV_QPS_ERR, "and is killed before it has its answer: ECONNABORTED");
	vbm_destroy_endpoint(server);
	v = start_victim("connects");
	ok(returns(l, vbm_get_request(l, &server, PATIENCE_MS), 0) &&
	   returns(server, vbm_accept(server, NULL, 0), 0) && is_there(&v), "another one connects");
	kill_victim(&v);
	ok(returns(server, vbm_wait_disconnect(server, PATIENCE_MS), 0) &&
	   server->state == VBM_ENDPOINT_DISCONNECTED && state_of(server) == IBV_QPS_ERR,
	   "and is killed: that is noticed");
	vbm_destroy_endpoint(server);
	ok(still_serves(l), "the listener still serves");
	vbm_destroy_endpoint(l);
}

/* A client learns this of a server that dies with its request. */
static bool is_refusal(int rc)
{
	return rc == ECONNREFUSED || rc == ECONNRESET;
}

static void server_dies(const char *role, const char *what)
{
	struct vbm_endpoint_options o = usual();
	struct victim v = start_victim(role);
	bool good = is_there(&v);
	struct call c;
	int rc;

	dial(&c, &o, PORT);
	if (strcmp(role, "listens") != 0)
		good = good && is_there(&v);
	if (strcmp(role, "serves") == 0) {
		good = good && returns(c.ep, dialled(&c), 0);
		kill_victim(&v);
		good = good && returns(c.ep, vbm_wait_disconnect(c.ep, PATIENCE_MS), 0) &&
		       c.ep->state == VBM_ENDPOINT_DISCONNECTED;
	} else {
		kill_victim(&v);
		rc = dialled(&c);
		good = good && is_refusal(rc) && c.ep->state == VBM_ENDPOINT_FAILED;
		if (!is_refusal(rc))
			returns(c.ep, rc, ECONNREFUSED);
	}
	ok(good && (!c.ep->qp || state_of(c.ep) == IBV_QPS_ERR), what);
	vbm_destroy_endpoint(c.ep);
}

void killed(void)
{
	client_dies();
	server_dies("listens", "a server is killed with a request that it has not taken");
	server_dies("requested", "one that it has not answered");
	server_dies("serves", "with a connection");
}
