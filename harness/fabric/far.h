/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_FAR_H
#define VBM_FABRIC_FAR_H

#include <stdbool.h>
#include <stdint.h>

#include <verbatim/error.h>

/*
 * A fabric whose hosts are machines of one's own. Nothing is made: the stations there find their devices and
 * answer what fabric.h asks.
 */
struct distant;
struct fabric;
struct rdma_object;
struct value;

/*
 * Connects to @machines, the member of a job, which must outlive the fabric; all at the same time. Then looks
 * whether packets of the size of the MTU go from each to the next, over both families. @stations: descriptors
 * of the lines to stations that run already, one for each machine, because the machines are kernels of places
 * of this run; NULL: ssh starts them. @factor: of the runner's deadlines.
 */
int far_fabric(struct fabric **out, const struct value *machines, const int *stations, int factor,
	       struct vbm_error *err);

bool fabric_is_far(const struct fabric *fabric);
bool fabric_has_kernels(const struct fabric *fabric);	/* it was made with @stations */
int fabric_machines(const struct fabric *fabric);
/* From now on the fabric has the first @hosts machines. */
void fabric_use_machines(struct fabric *fabric, int hosts);
/* Borrowed; NULL: the hosts are no machines. */
struct distant *fabric_distant(const struct fabric *fabric, int i);
/* What the station of host @i said of its machine. The texts are borrowed, and never NULL. */
struct described {
	const char *nodename, *kernel, *rdma_core;
	const char *driver, *firmware;	/* of its device: "mlx5_core"; "rxe" and "siw" for those in software */
	const char *can;	/* abilities of its device */
	int mtu;
	bool copied;		/* the program was copied to the machine */
};
struct described fabric_described(const struct fabric *fabric, int i);
/* Why a machine of the fabric cannot be used any more, or NULL. */
const char *fabric_broken(const struct fabric *fabric);

/*
 * Calls @fn with each record of /dev/kmsg that the kernels of the hosts wrote since the last call, if this run
 * started them. A kernel that does not answer has none: fabric_broken() says why.
 */
void fabric_messages(struct fabric *fabric, void (*fn)(const char *host, const char *record, void *arg), void *arg);

/* For the files of fabric/ only. */
struct far;
void far_close(struct far *far);	/* NULL is fine */
bool far_is_clean(struct far *far, int hosts, unsigned parts, struct value *left);
char *far_abilities(struct far *far, int i, struct vbm_error *err);
int far_listeners(struct far *far, int i, void (*fn)(int pid, void *arg), void *arg, struct vbm_error *err);
int far_objects(struct far *far, int i, void (*fn)(const struct rdma_object *object, void *arg), void *arg,
		struct vbm_error *err);
int far_counters(struct far *far, int i, void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
		 struct vbm_error *err);
int far_counter(struct far *far, int i, const char *name, uint64_t *value, struct vbm_error *err);

#endif
