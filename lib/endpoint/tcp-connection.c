/* SPDX-License-Identifier: BSD-2-Clause */
/* What a connection by the handshake stands on: its socket, its queue pair and its device. */
#include "lib/endpoint/tcp.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "lib/qp/device.h"
#include "lib/qp/qp.h"

int vbm_tcp_failed(struct endpoint *e, const char *call, int code)
{
	char text[INET6_ADDRSTRLEN];

	return -vbm_fail(&e->pub.error, code, "%s fails for %s: %s", call,
			 vbm_endpoint_address(e, text), strerror(code));
}

int vbm_tcp_none_in_time(struct endpoint *e, const char *call)
{
	char text[INET6_ADDRSTRLEN];

	return -vbm_note(&e->pub.error, ETIMEDOUT, "%s fails for %s: %s", call, vbm_endpoint_address(e, text),
			 strerror(ETIMEDOUT));
}

/* The error of a queue pair, which does not name the address, for the endpoint. */
int vbm_tcp_qp_failed(struct endpoint *e, const struct vbm_error *error, int code)
{
	char text[INET6_ADDRSTRLEN];

	return -vbm_note(&e->pub.error, code, "no connection with %s: %s", vbm_endpoint_address(e, text),
			 error->msg);
}

int vbm_tcp_make_qp(struct endpoint *e)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);
	struct vbm_error error;
	int rc;

	if (getsockname(e->pub.socket, (struct sockaddr *)&own, &len))
		return vbm_tcp_failed(e, "getsockname", errno);
	rc = vbm_create_qp(&e->pub.qp, (struct sockaddr *)&own, &e->options.qp, &error);
	if (rc)
		return vbm_tcp_qp_failed(e, &error, rc);
	rc = vbm_qp_to_init(e->pub.qp);
	return rc ? vbm_tcp_qp_failed(e, &e->pub.qp->error, rc) : 0;
}

void vbm_tcp_drop_socket(struct endpoint *e)
{
	if (e->pub.socket >= 0)
		close(e->pub.socket);
	e->pub.socket = -1;
}

/* After the handshake the stream carries nothing else, so the only event is its end. */
bool vbm_tcp_has_ended(struct endpoint *e)
{
	char byte;
	ssize_t n;

	do {
		n = recv(e->pub.socket, &byte, 1, MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno != EAGAIN)
		e->pub.reason = errno;
	return n >= 0 || errno != EAGAIN;
}

/* The peer learns by the end of the TCP connection that this end has no device any more. */
static int remove_device(struct endpoint *e)
{
	vbm_fail(&e->pub.error, ENODEV, "the device %s of the connection has gone", e->pub.qp->place.device);
	vbm_qp_to_error(e->pub.qp);
	vbm_tcp_drop_socket(e);
	e->pub.state = VBM_ENDPOINT_REMOVED;
	e->step_end = 0;
	return ENODEV;
}

/* The end of the connection explains why a queue pair fails, so it comes first. */
int vbm_tcp_look(struct endpoint *e)
{
	int rc;

	if (vbm_device_has_gone(e->pub.qp->context))
		return remove_device(e);
	if (e->pub.state == VBM_ENDPOINT_CONNECTED && vbm_tcp_has_ended(e)) {
		vbm_tcp_hang_up(e);
		return 0;
	}
	rc = vbm_endpoint_look_at_device(e);
	if (e->pub.state == VBM_ENDPOINT_FAILED)
		vbm_tcp_drop_socket(e);
	return rc;
}

void vbm_tcp_hang_up(struct endpoint *e)
{
	vbm_qp_to_error(e->pub.qp);
	vbm_tcp_drop_socket(e);
	e->pub.state = VBM_ENDPOINT_DISCONNECTED;
	e->step_end = 0;
}
