/* SPDX-License-Identifier: BSD-2-Clause */
#include "resolver-setup.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

#define QUEUE 8192
#define TYPE_A 1

/* Answers wait in the order of their questions, because all have the same delay. */
struct answer {
	int64_t due;
	struct sockaddr_in6 to;		/* or a shorter one, for IPv4 */
	socklen_t to_len;
	size_t len;
	uint8_t bytes[512];
};

struct wrong_dns {
	int fd, stop;
	uint16_t port;
	int delay_ms;
	pthread_t thread;
	unsigned int questions, last_port;
	bool honest;
	struct answer *queue;
	size_t head, tail;
};

static bool label_is(const uint8_t *label, const char *word)
{
	return label[0] == strlen(word) && !strncasecmp((const char *)label + 1, word, label[0]);
}

/* The length of the question at @q, which has at most @room bytes; 0: invalid. */
static size_t question_length(const uint8_t *q, size_t room)
{
	size_t at = 0;

	while (at < room && q[at])
		at += q[at] + 1u;
	return at + 5 <= room ? at + 5 : 0;
}

static size_t add_address(uint8_t *msg, size_t len)
{
	static const uint8_t record[] = {
		0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1,
	};

	memcpy(msg + len, record, sizeof(record));
	msg[7] = 1;
	return len + sizeof(record);
}

/* Turn the question in @msg into the answer. Returns its length; 0: no answer. */
static size_t make_answer(struct wrong_dns *l, uint8_t *msg, size_t len)
{
	const uint8_t *label = msg + 12;
	size_t qlen = len > 12 ? question_length(label, len - 12) : 0;
	bool is_a = qlen && label[qlen - 3] == TYPE_A;
	int rcode = 0;

	if (!qlen || label_is(label, "drop") || (label_is(label, "hush") && !is_a))
		return 0;
	msg[2] |= 0x80;
	msg[3] = 0x80;
	memset(msg + 6, 0, 6);
	len = 12 + qlen;
	if (label_is(label, "junk")) {
		msg[7] = 9;
		memset(msg + len, 0xff, 40);
		return len + 40;
	}
	if (label[0] >= 3 && !memcmp(label + 1, "rc", 2))
		rcode = atoi((const char *)label + 3);
	else if (label_is(label, "half") || label_is(label, "lean"))
		rcode = is_a ? 0 : 2;
	else if (label_is(label, "once") && !__atomic_load_n(&l->honest, __ATOMIC_ACQUIRE))
		rcode = 2;
	msg[3] |= (uint8_t)rcode;
	if (is_a && !rcode && !label_is(label, "half") && !label_is(label, "hush"))
		len = add_address(msg, len);
	return len;
}

static void take_question(struct wrong_dns *l)
{
	struct answer *a = &l->queue[l->tail % QUEUE];
	ssize_t n;

	a->to_len = sizeof(a->to);
	n = recvfrom(l->fd, a->bytes, sizeof(a->bytes) - 64, MSG_DONTWAIT,
		     (void *)&a->to, &a->to_len);
	if (n <= 0)
		return;
	__atomic_store_n(&l->last_port, ntohs(a->to.sin6_port), __ATOMIC_RELEASE);
	__atomic_add_fetch(&l->questions, 1, __ATOMIC_ACQ_REL);
	a->len = make_answer(l, a->bytes, (size_t)n);
	a->due = clock_now_ns() + l->delay_ms * 1000000LL;
	if (a->len && l->tail - l->head < QUEUE - 1)
		l->tail++;
}

static void send_due(struct wrong_dns *l)
{
	while (l->head != l->tail && l->queue[l->head % QUEUE].due <= clock_now_ns()) {
		struct answer *a = &l->queue[l->head++ % QUEUE];

		sendto(l->fd, a->bytes, a->len, 0, (void *)&a->to, a->to_len);
	}
}

static void *run(void *arg)
{
	struct wrong_dns *l = arg;
	struct pollfd p[2] = {{.fd = l->fd, .events = POLLIN}, {.fd = l->stop, .events = POLLIN}};

	for (;;) {
		int wait = l->head == l->tail ? -1 :
			clock_left_ms(l->queue[l->head % QUEUE].due);

		poll(p, 2, wait);
		if (p[1].revents)
			return NULL;
		if (p[0].revents)
			take_question(l);
		send_due(l);
	}
}

struct wrong_dns *wrong_dns_start_at(const struct sockaddr *sa, socklen_t len, int delay_ms)
{
	struct wrong_dns *l = calloc(1, sizeof(*l));
	struct sockaddr_in6 bound;	/* the port of IPv4 has the same offset */
	int room = 4 << 20;

	l->delay_ms = delay_ms;
	l->queue = calloc(QUEUE, sizeof(*l->queue));
	l->fd = socket(sa->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	l->stop = eventfd(0, EFD_CLOEXEC);
	setsockopt(l->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (bind(l->fd, sa, len) || getsockname(l->fd, (void *)&bound, &len) ||
	    pthread_create(&l->thread, NULL, run, l))
		abort();
	l->port = ntohs(bound.sin6_port);
	return l;
}

struct wrong_dns *wrong_dns_start(int delay_ms)
{
	struct sockaddr_in in = {.sin_family = AF_INET};

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return wrong_dns_start_at((const void *)&in, sizeof(in), delay_ms);
}

uint16_t wrong_dns_port(const struct wrong_dns *l)
{
	return l->port;
}

unsigned int wrong_dns_questions(struct wrong_dns *l)
{
	return __atomic_load_n(&l->questions, __ATOMIC_ACQUIRE);
}

unsigned int wrong_dns_last_port(struct wrong_dns *l)
{
	return __atomic_load_n(&l->last_port, __ATOMIC_ACQUIRE);
}

void wrong_dns_recover(struct wrong_dns *l)
{
	__atomic_store_n(&l->honest, true, __ATOMIC_RELEASE);
}

void wrong_dns_stop(struct wrong_dns *l)
{
	uint64_t one = 1;

	if (write(l->stop, &one, sizeof(one)) != sizeof(one))
		abort();
	pthread_join(l->thread, NULL);
	close(l->fd);
	close(l->stop);
	free(l->queue);
	free(l);
}
