/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/handshake/auth.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "lib/base/mem.h"

struct handshake_auth *vbm_auth_begin(vbm_authenticate ask, void *context, int socket, bool is_client)
{
	struct handshake_auth *a = vbm_mem_zalloc(sizeof(*a));

	if (!a)
		return NULL;
	a->ask = ask;
	a->context = context;
	a->pub.socket = socket;
	a->pub.is_client = is_client;
	a->pub.events = POLLIN;
	return a;
}

/* A program that waits for no event would never be asked again. */
int vbm_auth_go(struct handshake_auth *auth)
{
	int rc = auth->ask(auth->context, &auth->pub);

	auth->pub.events &= POLLIN | POLLOUT;
	return rc == EAGAIN && !auth->pub.events ? EINVAL : rc;
}

void vbm_auth_end(struct handshake_auth *auth)
{
	if (!auth)
		return;
	auth->pub.is_over = 1;
	auth->ask(auth->context, &auth->pub);
	free(auth);
}
