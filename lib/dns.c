/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns.h"

#include <ares.h>
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <unistd.h>

#include "dns-reply.h"
#include "loop.h"
#include "mem.h"
#include "resolvconf.h"

/* What newer versions prefer to these calls is not there in 1.18. */
#define CARES_NO_DEPRECATED

#define SOCKETS 32
#define RECEIVE_BUFFER (1 << 20)
#define OPTIONS (ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |       \
		 ARES_OPT_NDOTS | ARES_OPT_DOMAINS | ARES_OPT_LOOKUPS |        \
		 ARES_OPT_SOCK_STATE_CB | ARES_OPT_SOCK_RCVBUF |               \
		 ARES_OPT_SERVERS | ARES_OPT_RESOLVCONF)

struct dns_socket {
	struct watch watch;	/* first: see on_ready() */
	struct dns_client *client;
	bool used;
};

struct dns_client {
	ares_channel ares;	/* owned */
	struct loop *loop;
	struct timer timer;
	struct dns_socket sockets[SOCKETS];
	unsigned int open;	/* questions the library still has */
};

struct dns_question {
	struct dns_client *client;
	dns_done *done;		/* NULL once dropped */
	void *arg;
	struct dns_question **self;
	int family;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int library_status;

static void start_library(void)
{
	library_status = ares_library_init(ARES_LIB_INIT_ALL);
}

/* When the library next wants to be called for its time-outs. */
static void set_timer(struct dns_client *c)
{
	struct timeval tv, *left = ares_timeout(c->ares, NULL, &tv);

	if (!c->open || !left) {
		vbm_timer_disarm(&c->timer);
		return;
	}
	/* One more millisecond: the library rounds down, and would be early. */
	vbm_timer_arm(c->loop, &c->timer, vbm_loop_now() + left->tv_sec * 1000000000LL +
		      left->tv_usec * 1000LL + 1000000);
}

static void on_timer(struct timer *t)
{
	struct dns_client *c = (void *)((char *)t - offsetof(struct dns_client, timer));

	ares_process_fd(c->ares, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	set_timer(c);
}

static void on_ready(struct watch *w, uint32_t events)
{
	struct dns_client *c = ((struct dns_socket *)w)->client;
	int fd = w->fd;

	ares_process_fd(c->ares,
			events & (EPOLLIN | EPOLLERR | EPOLLHUP) ? fd : ARES_SOCKET_BAD,
			events & (EPOLLOUT | EPOLLERR | EPOLLHUP) ? fd : ARES_SOCKET_BAD);
	set_timer(c);
}

static struct dns_socket *socket_of(struct dns_client *c, int fd)
{
	struct dns_socket *spare = NULL;

	for (int i = 0; i < SOCKETS; i++) {
		if (c->sockets[i].used && c->sockets[i].watch.fd == fd)
			return &c->sockets[i];
		if (!c->sockets[i].used && !spare)
			spare = &c->sockets[i];
	}
	return spare;
}

/* Without a free slot the socket is deaf and its questions time out. */
static void on_socket(void *data, ares_socket_t fd, int readable, int writable)
{
	struct dns_client *c = data;
	struct dns_socket *s = socket_of(c, fd);
	uint32_t events = (readable ? EPOLLIN : 0) | (writable ? EPOLLOUT : 0);

	if (!s)
		return;
	if (!events) {
		if (s->used)
			vbm_loop_remove(c->loop, &s->watch);
		s->used = false;
	} else if (s->used) {
		vbm_loop_modify(c->loop, &s->watch, events);
	} else {
		s->watch.fd = fd;
		s->watch.ready = on_ready;
		s->client = c;
		s->used = !vbm_loop_add(c->loop, &s->watch, events);
	}
}

static int set_servers(struct dns_client *c, const struct resolv_conf *conf, uint16_t port)
{
	struct ares_addr_port_node node[RESOLV_SERVERS] = {0};

	for (size_t i = 0; i < conf->servers; i++) {
		const union addr *a = &conf->server[i];

		node[i].next = i + 1 < conf->servers ? &node[i + 1] : NULL;
		node[i].family = a->sa.sa_family;
		node[i].udp_port = node[i].tcp_port = port;
		if (node[i].family == AF_INET)
			node[i].addr.addr4 = a->in.sin_addr;
		else
			memcpy(&node[i].addr.addr6, &a->in6.sin6_addr, 16);
	}
	return ares_set_servers_ports(c->ares, node);
}

/* Everything is said here, so that the library reads no file of its own. */
static int open_channel(struct dns_client *c, const struct resolv_conf *conf)
{
	struct in_addr placeholder = {htonl(INADDR_LOOPBACK)};
	char *no_domain = NULL;
	char lookups[] = "b", no_file[] = "/dev/null";
	struct ares_options opt = {
		.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES |
			ARES_FLAG_STAYOPEN | (conf->use_tcp ? ARES_FLAG_USEVC : 0),
		.timeout = 1000 * conf->timeout,
		.tries = conf->attempts,
		.ndots = conf->ndots,
		.servers = &placeholder,
		.nservers = 1,
		.resolvconf_path = no_file,
		.domains = &no_domain,
		.lookups = lookups,
		.sock_state_cb = on_socket,
		.sock_state_cb_data = c,
		.socket_receive_buffer_size = RECEIVE_BUFFER,
	};
	int mask = OPTIONS | (conf->rotate ? ARES_OPT_ROTATE : ARES_OPT_NOROTATE);

#ifdef ARES_OPT_QUERY_CACHE
	/* What was true a moment ago is not what the caller asked. */
	opt.qcache_max_ttl = 0;
	mask |= ARES_OPT_QUERY_CACHE;
#endif
	return ares_init_options(&c->ares, &opt, mask);
}

static int errno_of(int status)
{
	return status == ARES_ENOMEM ? ENOMEM : errno ? errno : EIO;
}

int vbm_dns_client_new(struct loop *loop, const struct resolv_conf *conf,
		       uint16_t port, struct dns_client **client)
{
	struct dns_client *c;
	int status;

	pthread_once(&once, start_library);
	if (library_status != ARES_SUCCESS)
		return -ENOMEM;
	c = vbm_mem_zalloc(sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->loop = loop;
	c->timer.fire = on_timer;
	errno = 0;
	status = open_channel(c, conf);
	if (status != ARES_SUCCESS) {
		int error = errno_of(status);

		free(c);
		return -error;
	}
	status = set_servers(c, conf, port ? port : 53);
	if (status != ARES_SUCCESS) {
		int error = errno_of(status);

		vbm_dns_client_free(c);
		return -error;
	}
	*client = c;
	return 0;
}

void vbm_dns_client_free(struct dns_client *c)
{
	if (!c)
		return;
	vbm_timer_disarm(&c->timer);
	ares_destroy(c->ares);
	free(c);
}

static void finish(struct dns_question *q, const struct dns_answer *answer)
{
	dns_done *done = q->done;
	void *arg = q->arg;

	if (q->self)
		*q->self = NULL;
	q->client->open--;
	free(q);
	if (done)
		done(arg, answer);
}

/*
 * "Refused" is what the library says when it could not even open a socket;
 * the reason is still there to be seen.
 */
static void explain_refusal(struct dns_answer *answer)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	answer->status = DNS_TEMPORARY;
	if (fd >= 0) {
		close(fd);
	} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS) {
		answer->status = DNS_SYSTEM;
		answer->error = errno;
	}
}

static void classify(struct dns_answer *answer, int status)
{
	switch (status) {
	case ARES_SUCCESS:
	case ARES_ENODATA:
		answer->status = DNS_NODATA;
		break;
	case ARES_ENOTFOUND:
	case ARES_EBADNAME:
	case ARES_ENONAME:
		answer->status = DNS_NXDOMAIN;
		break;
	case ARES_ENOMEM:
		answer->status = DNS_MEMORY;
		break;
	case ARES_ECONNREFUSED:
		explain_refusal(answer);
		break;
	case ARES_ETIMEOUT:
		answer->status = DNS_SILENT;
		break;
	case ARES_EFORMERR:
	case ARES_EBADRESP:
		answer->status = DNS_PERMANENT;
		break;
	default:	/* SERVFAIL, NOTIMP, REFUSED and what is yet to come */
		answer->status = DNS_TEMPORARY;
		break;
	}
}

/* The library's own reading of a reply forgets where aliases end. */
static void read_reply(struct dns_answer *answer, int family, const uint8_t *reply,
		       int len, struct addr_list *list, char canon[DNS_NAME_ROOM])
{
	int ret = vbm_dns_reply_read(reply, (size_t)len, family, list, canon);

	answer->status = ret > 0 ? DNS_FOUND : !ret ? DNS_NODATA :
		ret == -ENOMEM ? DNS_MEMORY : DNS_PERMANENT;
	answer->addrs = list;
	answer->canon = canon;
}

static void on_reply(void *arg, int status, int timeouts, unsigned char *reply, int len)
{
	struct dns_question *q = arg;
	struct dns_answer answer = {0};
	struct addr_list list = {0};
	char canon[DNS_NAME_ROOM];

	(void)timeouts;
	if (status == ARES_EDESTRUCTION)
		q->done = NULL;
	/* Response codes above 5 the library takes for success. */
	if (status == ARES_SUCCESS && len >= NS_HFIXEDSZ && (reply[3] & 0xf))
		status = ARES_EFORMERR;
	if (status == ARES_SUCCESS && q->done)
		read_reply(&answer, q->family, reply, len, &list, canon);
	else
		classify(&answer, status);
	finish(q, &answer);
	vbm_addr_list_clear(&list);
}

void vbm_dns_ask(struct dns_client *c, const char *name, int family,
		 dns_done *done, void *arg, struct dns_question **question)
{
	struct dns_question *q = vbm_mem_zalloc(sizeof(*q));

	*question = NULL;
	if (!q) {
		struct dns_answer answer = {.status = DNS_MEMORY};

		done(arg, &answer);
		return;
	}
	q->client = c;
	q->done = done;
	q->arg = arg;
	q->family = family;
	q->self = question;
	*question = q;
	c->open++;
	ares_query(c->ares, name, ns_c_in, family == AF_INET ? ns_t_a : ns_t_aaaa,
		   on_reply, q);
	set_timer(c);
}

/* The library cannot take one question back: it finishes unheard. */
void vbm_dns_drop(struct dns_question *q)
{
	q->done = NULL;
	q->self = NULL;
}
