/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two hosts connect by the handshake if both know the same secret. Neither sends it: each
 * sends a number that was never used before, and then a code that only who knows the secret
 * can make of both numbers.
 *
 *	auth-hello SECRET PORT		the server, which serves one client and ends
 *	auth-hello SECRET PORT HOST	the client
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <verbatim/endpoint.h>

#include "hmac-sha256.h"

#define NUMBER 32
#define PATIENCE_MS 60000	/* an emulated machine is slow */

/* One end's words, said and heard. They are in the room that the library keeps for each socket. */
struct proof {
	uint8_t mine[NUMBER + SHA256_BYTES], theirs[NUMBER + SHA256_BYTES];
	uint16_t sent, got;
	uint8_t begun, answered;
};

_Static_assert(sizeof(struct proof) <= sizeof(((struct vbm_handshake_auth *)NULL)->room), "there is room for it");

/* The client's code is another than the server's, so that nobody can send a code back. */
static void make_code(const char *secret, int is_client, const uint8_t *first, const uint8_t *second,
		      uint8_t code[SHA256_BYTES])
{
	uint8_t said[1 + 2 * NUMBER] = {(uint8_t)(is_client ? 'c' : 's')};

	memcpy(said + 1, first, NUMBER);
	memcpy(said + 1 + NUMBER, second, NUMBER);
	hmac_sha256(secret, strlen(secret), said, sizeof(said), code);
}

/* All bytes are looked at, so that the time says nothing about the first wrong one. */
static int is_right(const uint8_t *code, const uint8_t *wanted)
{
	uint8_t wrong = 0;
	int i;

	for (i = 0; i < SHA256_BYTES; i++)
		wrong |= code[i] ^ wanted[i];
	return !wrong;
}

static int judge(const char *secret, const struct vbm_handshake_auth *auth, const struct proof *p)
{
	uint8_t wanted[SHA256_BYTES];

	make_code(secret, !auth->is_client, p->theirs, p->mine, wanted);
	return is_right(p->theirs + NUMBER, wanted) ? 0 : EACCES;
}

/* Send and receive what is possible now. 0, EAGAIN or the error of the socket. */
static int exchange(struct vbm_handshake_auth *auth, struct proof *p)
{
	size_t ready = p->answered ? sizeof(p->mine) : NUMBER;
	ssize_t n = 0;

	if (p->sent < ready)
		n = send(auth->socket, p->mine + p->sent, ready - p->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN)
		return errno;
	p->sent = (uint16_t)(p->sent + (n > 0 ? n : 0));
	auth->events = POLLIN | (p->sent < ready ? POLLOUT : 0);
	n = recv(auth->socket, p->theirs + p->got, sizeof(p->theirs) - p->got, MSG_DONTWAIT);
	if (n < 0)
		return errno;
	p->got = (uint16_t)(p->got + n);
	return n ? 0 : ECONNRESET;
}

/* The library calls this until it is not EAGAIN any more. */
static int authenticate(void *context, struct vbm_handshake_auth *auth)
{
	struct proof *p = (struct proof *)(void *)auth->room;
	const char *secret = context;
	int rc = 0;

	if (auth->is_over)
		return 0;
	if (!p->begun && getrandom(p->mine, NUMBER, 0) != NUMBER)
		return EIO;
	p->begun = 1;
	while (rc == 0 && (p->got < sizeof(p->theirs) || p->sent < sizeof(p->mine))) {
		if (p->got >= NUMBER && !p->answered) {
			make_code(secret, auth->is_client, p->mine, p->theirs, p->mine + NUMBER);
			p->answered = 1;
		}
		if (p->got < sizeof(p->theirs) || p->sent < sizeof(p->mine))
			rc = exchange(auth, p);
	}
	return rc ? rc : judge(secret, auth, p);
}

static int serve(struct vbm_endpoint *listener, const char *port)
{
	struct vbm_endpoint *ep;
	int rc = vbm_listen(listener, NULL, port);

	rc = rc ? rc : vbm_get_request(listener, &ep, -1);
	if (rc)
		return rc;
	rc = vbm_accept(ep, NULL, 0);
	if (rc == 0)
		printf("A client that knows the secret is connected\n");
	rc = rc ? rc : vbm_wait_disconnect(ep, PATIENCE_MS);
	if (rc)
		fprintf(stderr, "%s\n", ep->error.msg);
	vbm_destroy_endpoint(ep);
	return rc;
}

int main(int argc, char **argv)
{
	struct vbm_endpoint_options options;
	struct vbm_endpoint *ep;
	struct vbm_error error;
	int rc;

	if (argc < 3 || argc > 4 || strlen(argv[1]) > SHA256_BLOCK) {
		fputs("usage: auth-hello SECRET PORT [HOST]\n", stderr);
		return 2;
	}
	vbm_endpoint_options_init(&options);
	options.way = VBM_WAY_HANDSHAKE;
	options.timeout_ms = PATIENCE_MS;
	options.retry_ms = 100;
	options.context = argv[1];
	options.authenticate = authenticate;
	if (vbm_create_endpoint(&ep, &options, &error)) {
		fprintf(stderr, "%s\n", error.msg);
		return 1;
	}
	rc = argc == 3 ? serve(ep, argv[2]) : vbm_connect(ep, argv[3], argv[2]);
	if (argc == 4 && rc == 0)
		rc = vbm_disconnect(ep);
	if (rc && ep->error.code)
		fprintf(stderr, "%s\n", ep->error.msg);
	vbm_destroy_endpoint(ep);
	return rc ? 1 : 0;
}
