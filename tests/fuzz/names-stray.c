/* SPDX-License-Identifier: BSD-2-Clause */
#include "names-stray.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SLOTS 1024
#define HEADER 12

static struct {
	int outside, inside;
	struct sockaddr_in from[SLOTS];
	uint8_t id[SLOTS][2];
	unsigned int next;
} stray;

static struct sockaddr_in address(unsigned char last, uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + last),
	};
}

static void send_to(const struct sockaddr_in *to, const uint8_t *msg, size_t len)
{
	sendto(stray.outside, msg, len, MSG_DONTWAIT, (const void *)to, sizeof(*to));
}

/* The length of the question after the header; 0: there is none. */
static size_t question_length(const uint8_t *msg, size_t len)
{
	size_t at = HEADER;

	while (at < len && msg[at])
		at += msg[at] + 1u;
	return at + 5 <= len ? at + 5 - HEADER : 0;
}

/* An answer to the same question, with the address 203.0.113.1 or its IPv6 counterpart. */
static size_t wrong_answer(uint8_t *msg, const uint8_t *answer, size_t len)
{
	static const uint8_t six[16] = {0x20, 0x01, 0x0d, 0xb8, 0xff, [15] = 1};
	static const uint8_t four[4] = {203, 0, 113, 1};
	size_t question = question_length(answer, len), at = HEADER + question;
	bool is_six;

	if (!question || at > 400)
		return 0;
	memcpy(msg, answer, at);
	is_six = msg[at - 3] == 28;
	msg[3] &= 0xf0;
	memcpy(msg + 6, "\0\1\0\0\0\0", 6);
	memcpy(msg + at, "\xc0\x0c\0\1\0\1\0\0\0\x3c\0", 11);
	msg[at + 3] = is_six ? 28 : 1;
	msg[at + 11] = is_six ? 16 : 4;
	at += 12;
	memcpy(msg + at, is_six ? six : four, is_six ? 16 : 4);
	return at + (is_six ? 16 : 4);
}

static void send_wrong(const struct sockaddr_in *to, const uint8_t *answer, size_t len)
{
	uint8_t msg[512];
	size_t n = wrong_answer(msg, answer, len);

	if (!n)
		return;
	msg[1] ^= 0x55;
	send_to(to, msg, n);
	msg[1] ^= 0x55;
	msg[HEADER + 1] ^= 1;	/* a letter of the first label */
	send_to(to, msg, n);
}

static void take_question(void)
{
	unsigned int slot = stray.next++ % SLOTS;
	socklen_t alen = sizeof(stray.from[slot]);
	uint8_t msg[2048];
	ssize_t n = recvfrom(stray.outside, msg, sizeof(msg), MSG_DONTWAIT,
			     (void *)&stray.from[slot], &alen);

	if (n < HEADER)
		return;
	memcpy(stray.id[slot], msg, 2);
	msg[0] = (uint8_t)(slot >> 8);
	msg[1] = (uint8_t)slot;
	send(stray.inside, msg, (size_t)n, MSG_DONTWAIT);
}

static void pass_answer(void)
{
	uint8_t msg[2048];
	ssize_t n = recv(stray.inside, msg, sizeof(msg), MSG_DONTWAIT);
	unsigned int slot;

	if (n < HEADER)
		return;
	slot = ((unsigned int)msg[0] << 8 | msg[1]) % SLOTS;
	memcpy(msg, stray.id[slot], 2);
	send_wrong(&stray.from[slot], msg, (size_t)n);
	send_to(&stray.from[slot], msg, (size_t)n);
}

static void *run(void *arg)
{
	struct pollfd p[2] = {
		{.fd = stray.outside, .events = POLLIN}, {.fd = stray.inside, .events = POLLIN},
	};

	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return arg;
		if (p[0].revents)
			take_question();
		if (p[1].revents)
			pass_answer();
	}
}

int stray_start(unsigned char at, unsigned char server)
{
	struct sockaddr_in here = address(at, 53), there = address(server, 53);
	pthread_t thread;

	stray.outside = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	stray.inside = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (bind(stray.outside, (void *)&here, sizeof(here)) ||
	    connect(stray.inside, (void *)&there, sizeof(there)))
		return -errno;
	if (pthread_create(&thread, NULL, run, NULL))
		return -EAGAIN;
	return -pthread_detach(thread);
}
