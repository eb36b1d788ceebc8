/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_ENDPOINT_PROGRAM_H
#define VBM_TESTS_ENDPOINT_PROGRAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include <verbatim/endpoint.h>
#include <verbatim/transfer.h>

#include "../help/points.h"

#define PATIENCE_MS 60000
#define PORT "7480"
#define OTHER_PORT "7481"	/* where nobody listens */

extern const char *self;	/* an address of this host, with an RDMA device */
extern const char *nobody;	/* one of its network that no host has */
extern const char *rdma_device;
extern enum vbm_way way;	/* that the points are about now */

static inline bool by_cm(void)
{
	return way == VBM_WAY_RDMA_CM;
}

/* Options of that way, and with patience. */
struct vbm_endpoint_options usual(void);
struct vbm_endpoint *create(const struct vbm_endpoint_options *o);
struct vbm_endpoint *listener_of(const struct vbm_endpoint_options *o, const char *node);

/* A connect that waits, in a thread. */
struct call {
	struct vbm_endpoint *ep;
	const char *port;
	int result;
	pthread_t thread;
};

void dial(struct call *c, const struct vbm_endpoint_options *o, const char *port);
int dialled(struct call *c);	/* its result */

/* endpoint-server.c: takes whoever comes, and looks to it that it ends */
struct server {
	struct vbm_endpoint *listener;	/* the program's, also afterwards */
	pthread_t thread;
	int patience_ms;	/* with each */
	int served;
	bool stop;
};

void start_server(struct server *s, const struct vbm_endpoint_options *o);
void stop_server(struct server *s);

struct pair {
	struct vbm_endpoint *listener, *server, *client;
};

/* Both ends of a connection of this host with itself. */
bool make_pair(struct pair *p, const struct vbm_endpoint_options *o);
void end_pair(struct pair *p);

enum ibv_qp_state state_of(const struct vbm_endpoint *ep);

/* A request comes and is accepted, and a message from its end arrives. */
bool still_serves(struct vbm_endpoint *listener);

/* Whether @result is @wanted; says so when it is not. */
bool returns(const struct vbm_endpoint *ep, int result, int wanted);

/* endpoint-ends.c: how connections do not come to be, and end */
void ends(void);

/* endpoint-killed.c: a second process of this program, and its death */
struct victim {
	pid_t pid;
	FILE *out;
};

struct victim start_victim(const char *role);
bool is_there(struct victim *v);	/* where its role stops; waits for that */
void kill_victim(struct victim *v);
void killed(void);
int peer(const char *role);

/* endpoint-cycles.c: connect and disconnect, VBM_CYCLES times */
void cycles(void);

/* endpoint-channel.c: events on the program's channel */
void channels(void);
/* endpoint-device.c */
void device_fails(void);

void device_goes(void);		/* last: it does not come back */

/* endpoint-loop.c: endpoints that do not wait */
void loops(void);

/* endpoint-options.c: what ends a wait, and the options for that */
void options(void);
int cut_cable(const char *role);

/* endpoint-shortage.c */
void shortage(void);

#endif
