/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that was compiled with the headers of today, for a library whose structures of
 * options have grown since: see grown.test. The bytes around the program's own structures
 * are looked at, because an older library wrote there.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <verbatim/endpoint.h>
#include <verbatim/negotiator.h>
#include <verbatim/version.h>

#define GUARDED(type, name) struct { char before[256]; struct type value; char after[256]; } name

static GUARDED(vbm_qp_options, qp);
static GUARDED(vbm_endpoint_options, endpoint);
static GUARDED(vbm_handshake_options, handshake);
static GUARDED(vbm_listen_options, listening);
static GUARDED(vbm_negotiator_options, negotiator);
static int failures;

static void ok(int good, const char *what)
{
	failures += !good;
	printf("%sok - %s\n", good ? "" : "not ", what);
}

static int is_whole(const char *guard)
{
	size_t i;

	for (i = 0; i < 256; i++)
		if (guard[i] != 0x5a)
			return 0;
	return 1;
}

#define BEGIN(name) (memset(&name, 0x5a, sizeof(name)), vbm_##name##_options_init(&name.value))
#define vbm_listening_options_init vbm_listen_options_init
#define IS_WHOLE(name) (is_whole(name.before) && is_whole(name.after) && name.value.size == sizeof(name.value))

static void endpoints(void)
{
	struct vbm_error error;
	struct vbm_endpoint *ep = NULL;

	BEGIN(qp);
	BEGIN(endpoint);
	ok(IS_WHOLE(qp) && qp.value.hop_limit == 64 && qp.value.retry_cnt == 6, "the options of a queue pair");
	ok(IS_WHOLE(endpoint) && endpoint.value.timeout_ms == 5000 && endpoint.value.qp.rnr_retry == 6 &&
	   endpoint.value.backlog == 128, "those of an endpoint");
	endpoint.value.way = VBM_WAY_HANDSHAKE;
	endpoint.value.context = &qp;
	ok(!vbm_create_endpoint(&ep, &endpoint.value, &error) && ep->context == &qp &&
	   ep->state == VBM_ENDPOINT_IDLE && ep->socket == -1, "an endpoint");
	ok(!vbm_destroy_endpoint(ep) && IS_WHOLE(endpoint), "and its end");
	endpoint.value.private_data_len = 1;
	ok(vbm_create_endpoint(&ep, &endpoint.value, &error) != 0, "the library reads the same members");
}

static void negotiators(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct vbm_negotiator *n;
	struct vbm_outcome outcome;
	int listener, count = 0;

	BEGIN(handshake);
	BEGIN(listening);
	BEGIN(negotiator);
	ok(IS_WHOLE(handshake) && IS_WHOLE(listening), "the options of a handshake and of a listener");
	listening.value.backlog = 3;
	negotiator.value.depth = 4;
	negotiator.value.in_loop = 1;
	if (vbm_create_negotiator(&n, &negotiator.value, NULL) || !IS_WHOLE(negotiator)) {
		ok(0, "a negotiator");
		return;
	}
	ok(!vbm_negotiator_listen(n, (struct sockaddr *)&in, &listening.value, n, &listener) &&
	   !vbm_negotiator_wait(n, &outcome, 1, 10000, &count) && count == 1 &&
	   outcome.kind == VBM_OUTCOME_LISTENING && outcome.result == 0 && outcome.context == n,
	   "a listener");
	listening.value.handshake.private_length = 193;
	ok(vbm_negotiator_listen(n, (struct sockaddr *)&in, &listening.value, n, &listener) != 0,
	   "the library reads the same members of the handshake");
	ok(!vbm_destroy_negotiator(n) && IS_WHOLE(listening), "and its end");
}

int main(int argc, char **argv)
{
	(void)argv;
	ok((vbm_version() > VBM_VERSION) == (argc > 1), "the library says which version it is");
	endpoints();
	negotiators();
	return failures > 0;
}
