/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "dns/proxy.h"
#include "dns/unbound.h"
#include "dns/zone.h"
#include "lib/base/fail.h"
#include "net/netns.h"
#include "process/child.h"

#define BACKLOG 64
#define RECEIVE_BUFFER (4 << 20)	/* room for thousands of questions at once */

struct dns_pool {
	struct unbound *unbound;	/* owned, or NULL */
	char *records;			/* owned; the records that unbound serves */
};

struct dns_server {
	pid_t pid;
	int pidfd, log_fd;	/* owned */
};

struct dns_pool *dns_pool_new(void)
{
	return xcalloc(1, sizeof(struct dns_pool));
}

static void pool_empty(struct dns_pool *pool)
{
	unbound_stop(pool->unbound);
	pool->unbound = NULL;
	free(pool->records);
	pool->records = NULL;
}

void dns_pool_free(struct dns_pool *pool)
{
	if (!pool)
		return;
	pool_empty(pool);
	free(pool);
}

int dns_pool_check(const struct dns_pool *pool, struct vbm_error *err)
{
	return pool->unbound ? unbound_check(pool->unbound, err) : 0;
}

const struct unbound *dns_pool_unbound(const struct dns_pool *pool)
{
	return pool->unbound;
}

static int pool_serve(struct dns_pool *pool, const struct dns_zone *zone,
		      const struct unbound_ports *ports, struct vbm_error *err)
{
	int ret = 0;

	/* The scenario that used the old unbound has got an error, so a new one can start. */
	if (dns_pool_check(pool, NULL) < 0)
		pool_empty(pool);
	if (pool->unbound && strcmp(pool->records, zone->records) == 0)
		return 0;
	if (pool->unbound)
		ret = unbound_serve(pool->unbound, zone->records, err);
	else
		ret = unbound_start(&pool->unbound, ports, zone->records, err);
	if (ret < 0) {
		pool_empty(pool);
		return ret;
	}
	free(pool->records);
	pool->records = xstrdup(zone->records);
	return 0;
}

static int bind_socket(const struct dns_server_options *opts, int type, struct vbm_error *err)
{
	uint16_t port = opts->port ? opts->port : 53;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
	int one = 1, room = RECEIVE_BUFFER;
	auto_close int fd = -1;

	if (inet_pton(AF_INET, opts->address, &at.sin_addr) != 1)
		return vbm_fail(err, EINVAL, "'%s' is not an IPv4 address", opts->address);
	if (netns_socket(opts->netns_fd, AF_INET, type, &fd, err) < 0)
		return -err->code;
	if (type == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	else if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    (type == SOCK_STREAM && listen(fd, BACKLOG) < 0))
		return vbm_fail(err, errno, "the name server cannot open %s port %u: %s",
				opts->address, port, strerror(errno));
	return steal_fd(&fd);
}

static _Noreturn void proxy_child(const struct proxy_options *opts, pid_t parent)
{
	const int keep[] = {opts->udp_fd, opts->tcp_fd, opts->log_fd, opts->upstream_netns};

	child_service_begin("verbatim-dns", parent, keep, ARRAY_SIZE(keep));
	proxy_main(opts);
}

static int start_proxy(struct dns_server *s, const struct proxy_options *opts, struct vbm_error *err)
{
	pid_t parent = getpid();

	fflush(NULL);
	s->pid = fork();
	if (s->pid == 0)
		proxy_child(opts, parent);
	if (s->pid < 0)
		return vbm_fail(err, errno, "cannot start the process of the name server: %s", strerror(errno));
	s->pidfd = pidfd_open(s->pid, 0);
	if (s->pidfd < 0)
		return vbm_fail(err, errno, "cannot watch the name server: %s", strerror(errno));
	return 0;
}

static int start_server(struct dns_server *s, struct dns_pool *pool, const struct dns_server_options *opts,
			const struct dns_zone *zone, struct vbm_error *err)
{
	auto_close int udp = bind_socket(opts, SOCK_DGRAM, err);
	auto_close int tcp = udp < 0 ? -1 : bind_socket(opts, SOCK_STREAM, err);

	if (udp < 0 || tcp < 0)
		return -err->code;
	s->log_fd = child_log("dns-questions", err);
	if (s->log_fd < 0 || pool_serve(pool, zone, opts->unbound, err) < 0)
		return -err->code;
	return start_proxy(s, &(struct proxy_options){
		.zone = zone,
		.udp_fd = udp,
		.tcp_fd = tcp,
		.log_fd = s->log_fd,
		.upstream_netns = unbound_netns(pool->unbound),
		.upstream_port = unbound_port(pool->unbound),
	}, err);
}

int dns_server_start(struct dns_server **out, struct dns_pool *pool,
		     const struct dns_server_options *opts, const struct value *dns,
		     struct vbm_error *err)
{
	struct diagnostics diag auto_diagnostics = {0};
	struct dns_server *s;
	struct dns_zone zone;
	int ret;

	if (!dns_zone_read(&zone, dns, &diag))
		return diagnostics_fail(&diag, err);
	s = xcalloc(1, sizeof(*s));
	s->pidfd = s->log_fd = -1;
	ret = start_server(s, pool, opts, &zone, err);
	dns_zone_fini(&zone);
	if (ret < 0) {
		dns_server_stop(s);
		return ret;
	}
	*out = s;
	return 0;
}

void dns_server_stop(struct dns_server *s)
{
	if (!s)
		return;
	child_end(s->pid);
	if (s->pidfd >= 0)
		close(s->pidfd);
	if (s->log_fd >= 0)
		close(s->log_fd);
	free(s);
}

int dns_server_log_fd(const struct dns_server *s)
{
	return s->log_fd;
}

int dns_server_pidfd(const struct dns_server *s)
{
	return s->pidfd;
}
