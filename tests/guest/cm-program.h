/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_CM_PROGRAM_H
#define VBM_TESTS_CM_PROGRAM_H

#include <stdbool.h>

#include "../help/points.h"

#ifdef UNAWARE
#include <rdma/rdma_cma.h>
/* Older headers and libraries lack these two: only the preload library has them. */
extern int (*resolve_addrinfo)(struct rdma_cm_id *, const char *, const char *,
			       const struct rdma_addrinfo *);
extern int (*query_addrinfo)(struct rdma_cm_id *, struct rdma_addrinfo **);
#define CALL(name) rdma_##name
enum { RESOLVED = 16, FAILED = 17, AGAIN = -3, NO_MEMORY = -10, SYSTEM_ERROR = -11 };
#else
#include <verbatim/resolve.h>
#define CALL(name) vbm_##name
#define resolve_addrinfo vbm_resolve_addrinfo
#define query_addrinfo vbm_query_addrinfo
enum {
	RESOLVED = RDMA_CM_EVENT_ADDRINFO_RESOLVED,
	FAILED = RDMA_CM_EVENT_ADDRINFO_ERROR,
	AGAIN = EAI_AGAIN,
	NO_MEMORY = EAI_MEMORY,
	SYSTEM_ERROR = EAI_SYSTEM,
};
#endif

#define PATIENCE_S 60

extern const char *self;	/* an address of this host, with an RDMA device */

struct rdma_event_channel *channel(void);
struct rdma_cm_id *make(struct rdma_event_channel *ec);
bool readable(const struct rdma_event_channel *ec, int ms);

/* The next event is of @id and of this kind; acknowledged. */
bool comes(struct rdma_event_channel *ec, struct rdma_cm_id *id, int kind, int status);
bool has_result(struct rdma_cm_id *id);

/* A name server that never answers: what is asked there stays under way. */
int silent_server(void);

/* cm-shortage.c */
void without_memory(void);
void without_descriptors_or_threads(void);

#endif
