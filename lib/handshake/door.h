/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_DOOR_H
#define VBM_LIB_HANDSHAKE_DOOR_H

#include "lib/base/addr.h"
#include "lib/base/loop.h"
#include "lib/handshake/auth.h"

#define DOOR_RETRY_MS 100	/* after descriptors or memory ran out */

/*
 * Lets clients in at a listening socket, as many at a time as there is room for. When there are as many, or
 * descriptors run out, one that is silent gives way; if none can yet, the next client waits in the kernel.
 */
struct door {
	unsigned int count, room;	/* clients */
	vbm_authenticate authenticate;	/* the program's; NULL: each client is the right one */
	void *context;
	void (*enter)(struct door *d);	/* somebody may wait */
	/* True: a client has left. The owner makes *@until earlier if one can leave before that. */
	bool (*give_way)(struct door *d, int64_t *until);
	struct loop *loop;
	struct watch watch;
	struct timer resume;		/* armed: the socket is not watched */
	struct handshake_auth *spare;	/* owned; for the next client; or NULL */
};

/* The members up to give_way are set. 0 or a negative errno. The owner closes the socket. */
int vbm_door_open(struct door *d, struct loop *loop, int listener);
void vbm_door_close(struct door *d);

/*
 * The socket of a client, its address and what the program is asked about it (NULL: nothing), which the caller
 * owns. Or -EBUSY: there is no room; -ENOMEM; the negative errno of accept4(2). The memory is there before a
 * client is accepted, so that none is lost.
 */
int vbm_door_accept(struct door *d, union addr *from, struct handshake_auth **auth);

/* Memory has run out: let nobody in for DOOR_RETRY_MS. */
void vbm_door_rest(struct door *d);

/* A client has left, so another one may come in. */
void vbm_door_left(struct door *d);

#endif
