/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINES_MACHINE_FABRIC_H
#define VBM_MACHINES_MACHINE_FABRIC_H

/*
 * Runs in: the runner asks, in its main thread; a station finds, configures and puts back its machine.
 * Owns:    the lines to stations; on a station the lock and the undo journal of its machine.
 * Ends:    fabric_free(); a machine that was changed is put back first.
 * Tests:   unit/test_machines; tests/guest/hosts.test, hosts-configure.test, hosts-disturb.test.
 */

#include <stdbool.h>
#include <stdint.h>

#include <verbatim/error.h>

/*
 * A fabric whose hosts are machines. Nothing is made: the stations there find their devices and
 * answer what fabric.h asks.
 */
struct machine_line;
struct fabric;
struct value;

struct machines_options {
	const struct value *machines;	/* the member of a job; must outlive the fabric */
	/*
	 * Descriptors of the lines to stations that run already, one for each machine, because the machines are kernels of
	 * places of this run; NULL: ssh starts them.
	 */
	const int *stations;
	int factor;		/* of the runner's deadlines */
	bool may_disturb;	/* scenarios may change the machines */
	bool may_configure;	/* what they lack is configured, after @tell has said what that is */
	void (*tell)(const char *host, const char *line, void *arg);
	void *arg;
};

/*
 * Connects to all machines at the same time. Then looks whether packets of the size of the MTU go from each to the next,
 * over both families.
 */
int machines_fabric(struct fabric **out, const struct machines_options *opts, struct vbm_error *err);

/*
 * Why scenarios must not change this part of host @i; the caller frees it. NULL: they may.
 */
enum machine_part {
	MACHINE_SETTINGS,	/* of the interface */
	MACHINE_DEVICE,	/* the RDMA device */
	MACHINE_PACKETS,	/* packets on the interface, lost, changed or made */
};
char *machines_stays(const struct fabric *fabric, int i, enum machine_part part);

/* The machines as they were before the last scenario, which has changed them. */
int machines_put_back(struct fabric *fabric, struct vbm_error *err);

/* These take a fabric of machines. */
bool machines_have_kernels(const struct fabric *fabric);	/* it was made with @stations */
int machines_count(const struct fabric *fabric);
/* From now on the fabric has the first @hosts machines. */
void machines_use(struct fabric *fabric, int hosts);
/* Borrowed; NULL: the hosts are no machines. */
struct machine_line *machines_line(const struct fabric *fabric, int i);
/* The station's description of the machine of host @i. The texts are borrowed, and never NULL. */
struct described {
	const char *nodename, *kernel, *rdma_core;
	const char *driver, *firmware;	/* of its device: "mlx5_core"; "rxe" and "siw" for those in software */
	const char *can;	/* abilities of its device */
	int mtu;
	bool copied;		/* the program was copied to the machine */
	const struct value *swept;	/* borrowed; lines about what a killed run had left there, and what was put back */
};
struct described machines_described(const struct fabric *fabric, int i);
/* Why a machine of the fabric cannot be used any more, or NULL. */
const char *machines_broken(const struct fabric *fabric);

/*
 * Calls @fn with each record of /dev/kmsg that the kernels of the hosts wrote since the last call, if this run
 * started them. A kernel that does not answer has none: machines_broken() says why.
 */
void machines_messages(struct fabric *fabric, void (*fn)(const char *host, const char *record, void *arg), void *arg);

#endif
