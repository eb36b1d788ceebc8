/* SPDX-License-Identifier: BSD-2-Clause */
/* c-ares 1.18 lacks the functions that newer versions recommend instead of these. */
#define CARES_NO_DEPRECATED

#include "lib/resolve/dns.h"

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
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/resolve/dns-reply.h"
#include "lib/base/fail.h"
#include "lib/base/loop.h"
#include "lib/base/mem.h"
#include "lib/resolve/resolvconf.h"
#include "lib/base/ring.h"

#define SOCKETS 32
#define PARTS 16	/* most buffers of one message over TCP; a datagram has one */
#define RECEIVE_BUFFER (1 << 20)
#define OPTIONS (ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |       \
		 ARES_OPT_NDOTS | ARES_OPT_DOMAINS | ARES_OPT_LOOKUPS |        \
		 ARES_OPT_SOCK_STATE_CB |                                      \
		 ARES_OPT_SERVERS | ARES_OPT_SORTLIST | ARES_OPT_RESOLVCONF)

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
	union addr server[RESOLV_SERVERS];	/* with its port */
	unsigned int open;	/* questions the library still has */
	unsigned int shortages;	/* in all so far */
	int shortage;		/* errno of the last one */
};

struct dns_question {
	struct dns_client *client;
	dns_done *done;		/* NULL once dropped */
	void *arg;
	struct dns_question **self;
	int family;
	unsigned int shortages;	/* the client's count when this was asked */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int library_status;

static void start_library(void)
{
	library_status = ares_library_init(ARES_LIB_INIT_ALL);
}

/* Arm the timer for the time at which the library wants to be called for its time-outs. */
static void set_timer(struct dns_client *c)
{
	struct timeval tv, *left = ares_timeout(c->ares, NULL, &tv);

	if (!c->open || !left) {
		vbm_timer_disarm(&c->timer);
		return;
	}
	/* One more millisecond, because the library rounds the time down. */
	vbm_timer_arm(c->loop, &c->timer, vbm_loop_now() + left->tv_sec * 1000000000LL +
		      left->tv_usec * 1000LL + 1000000);
}

static void on_timer(struct timer *t)
{
	struct dns_client *c = container_of(t, struct dns_client, timer);

	ares_process_fd(c->ares, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	set_timer(c);
}

static void on_ready(struct watch *w, uint32_t events)
{
	struct dns_client *c = ((struct dns_socket *)w)->client;
	int fd = w->fd;

	errno = 0;	/* see receive_reply() */
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

/* The library goes on after a shortage; its questions then fail or time out. */
static void note_shortage(struct dns_client *c, int error)
{
	c->shortages++;
	c->shortage = error;
}

/* When there is no free slot, nobody waits for the socket and its questions time out. */
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
		int ret;

		s->watch.fd = fd;
		s->watch.ready = on_ready;
		s->client = c;
		ret = vbm_loop_add(c->loop, &s->watch, events);
		s->used = !ret;
		if (ret)
			note_shortage(c, -ret);
	}
}

static ares_socket_t make_socket(int domain, int type, int protocol, void *data)
{
	int fd = socket(domain, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	int room = RECEIVE_BUFFER;

	if (fd < 0 && is_shortage(errno))
		note_shortage(data, errno);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	return fd;
}

static int close_socket(ares_socket_t fd, void *data)
{
	(void)data;
	return close(fd);
}

/*
 * The library has no member for the scope of a server's address. So it gets the index of
 * the server as its port, and the real address is put in here.
 */
static int connect_socket(ares_socket_t fd, const struct sockaddr *sa, ares_socklen_t len,
			  void *data)
{
	const struct dns_client *c = data;
	union addr a = {0};
	size_t number;

	memcpy(&a, sa, len < sizeof(a) ? len : sizeof(a));
	number = vbm_addr_port(&a);
	if (number < 1 || number > RESOLV_SERVERS) {
		errno = EINVAL;
		return -1;
	}
	a = c->server[number - 1];
	return connect(fd, &a.sa, addr_len(&a));
}

/*
 * When the library has no memory for a reply, it drops the reply and reports no error.
 * Only errno, at the next call of this function, still shows the shortage.
 */
static ares_ssize_t receive_reply(ares_socket_t fd, void *buf, size_t len, int flags,
				  struct sockaddr *from, ares_socklen_t *from_len, void *data)
{
	ares_ssize_t n;

	if (errno == ENOMEM)
		note_shortage(data, ENOMEM);
	n = recvfrom(fd, buf, len, flags, from, from_len);
	if (n >= 0)
		errno = 0;
	return n;
}

static ares_ssize_t send_parts(ares_socket_t fd, const struct iovec *part, int count, void *data)
{
	struct iovec parts[PARTS];
	struct msghdr m = {.msg_iov = parts};

	(void)data;
	while (m.msg_iovlen < PARTS && m.msg_iovlen < (size_t)count) {
		parts[m.msg_iovlen] = part[m.msg_iovlen];
		m.msg_iovlen++;
	}
	return sendmsg(fd, &m, MSG_NOSIGNAL);
}

static const struct ares_socket_functions socket_functions = {
	.asocket = make_socket,
	.aclose = close_socket,
	.aconnect = connect_socket,
	.arecvfrom = receive_reply,
	.asendv = send_parts,
};

static int set_servers(struct dns_client *c, const struct resolv_conf *conf, uint16_t port)
{
	struct ares_addr_port_node node[RESOLV_SERVERS] = {0};

	for (size_t i = 0; i < conf->servers; i++) {
		union addr *a = &c->server[i];

		*a = conf->server[i];
		vbm_addr_set_service(a, port, 0);
		node[i].next = i + 1 < conf->servers ? &node[i + 1] : NULL;
		node[i].family = a->sa.sa_family;
		node[i].udp_port = node[i].tcp_port = (int)i + 1;	/* see connect_socket() */
		if (node[i].family == AF_INET)
			node[i].addr.addr4 = a->in.sin_addr;
		else
			memcpy(&node[i].addr.addr6, &a->in6.sin6_addr, 16);
	}
	return ares_set_servers_ports(c->ares, node);
}

/* All options are set here, so that the library reads no file itself. */
static int open_channel(struct dns_client *c, const struct resolv_conf *conf)
{
	struct in_addr placeholder = {htonl(INADDR_LOOPBACK)};
	char *no_domain = NULL;
	char lookups[] = "b", no_file[] = "/dev/null";
	struct ares_options opt = {
		.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES |
			(conf->use_tcp ? ARES_FLAG_USEVC : 0),
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
	};
	int mask = OPTIONS | (conf->rotate ? ARES_OPT_ROTATE : ARES_OPT_NOROTATE);
	int status;

#ifdef ARES_OPT_QUERY_CACHE
	/* The caller wants a fresh answer, so the library must not cache. */
	opt.qcache_max_ttl = 0;
	mask |= ARES_OPT_QUERY_CACHE;
#endif
	status = ares_init_options(&c->ares, &opt, mask);
	if (status == ARES_SUCCESS)
		ares_set_socket_functions(c->ares, &socket_functions, c);
	return status;
}

/*
 * The negative errno for a status of the library. When the library cannot read random
 * numbers, it goes on with numbers that can be guessed; that counts as a failure.
 */
static int error_of(int status)
{
	if (status == ARES_SUCCESS)
		return is_shortage(errno) ? -errno : 0;
	return status == ARES_ENOMEM ? -ENOMEM : errno ? -errno : -EIO;
}

int vbm_dns_client_new(struct loop *loop, const struct resolv_conf *conf,
		       uint16_t port, struct dns_client **client)
{
	struct dns_client *c;
	int ret;

	pthread_once(&once, start_library);
	if (library_status != ARES_SUCCESS)
		return -ENOMEM;
	c = vbm_mem_zalloc(sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->loop = loop;
	c->timer.fire = on_timer;
	errno = 0;
	ret = error_of(open_channel(c, conf));
	if (!ret)
		ret = error_of(set_servers(c, conf, port ? port : 53));
	if (ret) {
		vbm_dns_client_free(c);
		return ret;
	}
	*client = c;
	return 0;
}

void vbm_dns_client_free(struct dns_client *c)
{
	if (!c)
		return;
	vbm_timer_disarm(&c->timer);
	if (c->ares)
		ares_destroy(c->ares);
	free(c);
}

static void finish_question(struct dns_question *q, const struct dns_answer *answer)
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

static enum dns_status kind_of(int status)
{
	switch (status) {
	case ARES_SUCCESS:
	case ARES_ENODATA:
		return DNS_NODATA;
	case ARES_ENOTFOUND:
	case ARES_EBADNAME:
	case ARES_ENONAME:
		return DNS_NXDOMAIN;
	case ARES_ENOMEM:
		return DNS_MEMORY;
	case ARES_ETIMEOUT:
		return DNS_SILENT;
	case ARES_EFORMERR:
	case ARES_EBADRESP:
		return DNS_PERMANENT;
	default:	/* SERVFAIL, NOTIMP, REFUSED and future codes */
		return DNS_TEMPORARY;
	}
}

/*
 * The library also reports "refused" when it could not open a socket, and "timed out" when
 * it had to drop the reply. When there was a shortage since the question, the shortage is
 * the cause.
 */
static void classify(struct dns_answer *answer, const struct dns_question *q, int status)
{
	const struct dns_client *c = q->client;
	bool unheard = status == ARES_ECONNREFUSED || status == ARES_ETIMEOUT;

	answer->status = kind_of(status);
	if (!unheard || c->shortages == q->shortages)
		return;
	answer->status = c->shortage == ENOMEM ? DNS_MEMORY : DNS_SYSTEM;
	answer->error = c->shortage;
}

/* The library's own parser does not report the name at the end of the aliases. */
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
	/* The library treats response codes above 5 as success. */
	if (status == ARES_SUCCESS && len >= NS_HFIXEDSZ && (reply[3] & 0xf))
		status = ARES_EFORMERR;
	if (status == ARES_SUCCESS && q->done)
		read_reply(&answer, q->family, reply, len, &list, canon);
	else
		classify(&answer, q, status);
	finish_question(q, &answer);
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
	q->shortages = c->shortages;
	*question = q;
	c->open++;
	ares_query(c->ares, name, ns_c_in, family == AF_INET ? ns_t_a : ns_t_aaaa,
		   on_reply, q);
	set_timer(c);
}

/* The library cannot cancel one question, so the answer will be ignored. */
void vbm_dns_drop(struct dns_question *q)
{
	q->done = NULL;
	q->self = NULL;
}
