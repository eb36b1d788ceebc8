/* SPDX-License-Identifier: BSD-2-Clause */
/* The way by the handshake, step by step: no function here waits. */
#include "lib/endpoint/tcp.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <verbatim/resolve.h>

#include "lib/base/fail.h"
#include "lib/base/mem.h"
#include "lib/handshake/talk.h"
#include "lib/qp/device.h"
#include "lib/qp/qp.h"

#define WAITS INT_MIN	/* of a step: it is not done; no code of a failure is this number */

int vbm_tcp_begin_talk(struct endpoint *e, const struct vbm_handshake_options *options)
{
	e->talk = vbm_mem_zalloc(sizeof(*e->talk));
	if (!e->talk)
		return -vbm_fail(&e->pub.error, ENOMEM, "out of memory");
	vbm_talk_begin(e->talk, !e->is_passive, e->pub.qp, e->pub.socket, options);
	return 0;
}

void vbm_tcp_end_talk(struct endpoint *e)
{
	if (e->talk && !e->talk->is_over)
		vbm_talk_drop(e->talk);
	free(e->talk);
	e->talk = NULL;
}

/*
 * The address under way has failed with @code: try the next one. After the last one all are
 * tried again, if the options say so. @is_final: no other address can help.
 */
static int next_address(struct endpoint *e, int code, bool is_final)
{
	bool is_last = is_final || !e->at->ai_next;
	int busy;

	vbm_tcp_end_talk(e);
	vbm_tcp_drop_socket(e);
	if (is_last && !is_final)
		code = vbm_endpoint_all_failed(e, code);
	if (is_final || (is_last && !vbm_endpoint_is_retried(e, code)))
		return vbm_endpoint_failed(e, code);
	if (!is_last)
		vbm_endpoint_note_failure(e, code);
	vbm_endpoint_keep_data(e, NULL, 0);
	busy = vbm_endpoint_discard(e);
	if (busy)
		return vbm_endpoint_failed(e, busy);
	if (is_last) {
		vbm_endpoint_pause(e);
		return 0;
	}
	e->at = e->at->ai_next;
	e->pub.state = VBM_ENDPOINT_RESOLVING_ADDR;
	return 0;
}

static int translate(struct endpoint *e)
{
	bool is_over;
	int rc = vbm_endpoint_translate_go(e, &is_over);

	if (!is_over)
		return WAITS;
	e->at = e->translated;
	if (rc == 0 && !e->at)
		rc = vbm_tcp_failed(e, "vbm_connect", EADDRNOTAVAIL);
	if (rc)
		return vbm_endpoint_failed(e, rc);
	e->pub.state = VBM_ENDPOINT_RESOLVING_ADDR;
	return 0;
}

static int open_socket(struct endpoint *e)
{
	const struct sockaddr *to = e->at->ai_dst_addr, *from = e->at->ai_src_addr;
	int s;

	if (e->is_pausing && vbm_loop_ms_left(e->step_end))
		return WAITS;
	e->is_pausing = false;
	vbm_endpoint_share_time(e);
	s = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s < 0)
		return next_address(e, vbm_tcp_failed(e, "socket", errno), false);
	e->pub.socket = s;
	vbm_handshake_mind_peer(s, e->options.keepalive_ms, e->options.qp.traffic_class);
	e->pub.state = VBM_ENDPOINT_RESOLVING_ROUTE;
	if (from && from->sa_family == to->sa_family && bind(s, from, e->at->ai_src_len))
		return next_address(e, vbm_tcp_failed(e, "bind", errno), false);
	return 0;
}

static int greet(struct endpoint *e)
{
	struct vbm_handshake_options o = {
		.size = sizeof(o), .version = VBM_HANDSHAKE_ONLY_1, .authenticate = e->options.authenticate,
		.context = e->pub.context,
	};
	uint8_t data[PRIVATE_DATA_MAX];
	int rc = vbm_endpoint_connect_data(e, data, &o.private_length);

	if (rc)
		return next_address(e, rc, false);
	e->pub.state = VBM_ENDPOINT_CONNECTING;
	o.private_data = data;
	rc = vbm_tcp_begin_talk(e, &o);
	return rc ? next_address(e, rc, false) : 0;
}

/* The second call of connect(2) says how the first one ends. */
static int reach(struct endpoint *e)
{
	int rc;

	if (connect(e->pub.socket, e->at->ai_dst_addr, e->at->ai_dst_len) && errno != EISCONN) {
		if (errno == EINPROGRESS || errno == EALREADY || errno == EINTR)
			return WAITS;
		return next_address(e, vbm_tcp_failed(e, "connect", errno), false);
	}
	rc = vbm_tcp_make_qp(e);
	if (rc)
		return next_address(e, rc, false);
	rc = vbm_endpoint_take_qp(e);
	return rc ? next_address(e, rc, true) : greet(e);
}

static int connected(struct endpoint *e)
{
	vbm_tcp_end_talk(e);
	e->pub.state = VBM_ENDPOINT_CONNECTED;
	e->step_end = 0;
	return 0;
}

/* The client's talk has ended with @code. */
static int answered(struct endpoint *e, int code)
{
	const struct handshake *h = &e->talk->h;

	if (code == 0 || h->flag == HANDSHAKE_REFUSAL)
		vbm_endpoint_keep_data(e, vbm_handshake_private(h), h->peer_private_length);
	if (code == 0)
		return connected(e);
	code = vbm_tcp_qp_failed(e, &e->pub.qp->error, code);
	if (code != ECONNREFUSED)
		return next_address(e, code, false);
	/* The peer's program refused, and its other addresses lead to the same program. */
	return next_address(e, vbm_endpoint_all_failed(e, code), true);
}

static int talk_as_client(struct endpoint *e)
{
	int rc = vbm_talk_go(e->talk);

	return e->talk->is_over ? answered(e, rc) : WAITS;
}

/* The server's talk has ended with @code. */
static int confirmed(struct endpoint *e, int code)
{
	if (code == 0)
		return connected(e);
	e->pub.error = e->pub.qp->error;
	return vbm_tcp_give_up(e, code == ECONNRESET ? ECONNABORTED : code);
}

static int talk_as_server(struct endpoint *e)
{
	int rc = vbm_talk_go(e->talk);

	return e->talk->is_over ? confirmed(e, rc) : WAITS;
}

static int await_end(struct endpoint *e)
{
	int rc = vbm_tcp_look(e);

	if (rc)
		return rc;
	if (!vbm_tcp_has_ended(e))
		return WAITS;
	vbm_tcp_hang_up(e);
	return 0;
}

int vbm_tcp_go(struct endpoint *e)
{
	static int (*const step[ENDPOINT_STATES])(struct endpoint *e) = {
		[VBM_ENDPOINT_TRANSLATING] = translate,
		[VBM_ENDPOINT_RESOLVING_ADDR] = open_socket,
		[VBM_ENDPOINT_RESOLVING_ROUTE] = reach,
		[VBM_ENDPOINT_CONNECTING] = talk_as_client,
		[VBM_ENDPOINT_ACCEPTING] = talk_as_server,
		[VBM_ENDPOINT_DISCONNECTING] = await_end,
	};
	int rc = 0;

	while (rc == 0 && step[e->pub.state])
		rc = step[e->pub.state](e);
	return rc == WAITS ? 0 : rc;
}

int vbm_tcp_time_is_up(struct endpoint *e)
{
	int rc = 0;

	switch (e->pub.state) {
	case VBM_ENDPOINT_RESOLVING_ADDR:
		break;
	case VBM_ENDPOINT_RESOLVING_ROUTE:
		rc = next_address(e, vbm_tcp_failed(e, "connect", ETIMEDOUT), false);
		break;
	case VBM_ENDPOINT_CONNECTING:
		rc = answered(e, vbm_talk_time_is_up(e->talk));
		break;
	case VBM_ENDPOINT_ACCEPTING:
		return confirmed(e, vbm_talk_time_is_up(e->talk));
	case VBM_ENDPOINT_DISCONNECTING:
		rc = vbm_tcp_failed(e, "waiting for the end of the connection", ETIMEDOUT);
		vbm_tcp_hang_up(e);
		return rc;
	default:
		return vbm_tcp_give_up(e, vbm_tcp_failed(e, "vbm_connect", ETIMEDOUT));
	}
	return rc ? rc : vbm_tcp_go(e);
}

int vbm_tcp_give_up(struct endpoint *e, int code)
{
	if (e->pub.state == VBM_ENDPOINT_DISCONNECTING) {
		vbm_tcp_hang_up(e);
		return code;
	}
	vbm_tcp_end_talk(e);
	vbm_tcp_drop_socket(e);
	return vbm_endpoint_failed(e, code);
}
