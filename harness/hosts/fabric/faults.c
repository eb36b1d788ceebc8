/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/faults.h"

#include <errno.h>
#include <stdio.h>

#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"

/* Enough for all packets that the hosts have on their way, so that only the loss drops any. */
#define QUEUE_PACKETS 100000

int fabric_set_faults(struct fabric *fabric, int i, const struct cable_faults *faults,
		      struct vbm_error *err)
{
	struct host *host = &fabric->host[i];
	struct netem netem = {
		.loss = (uint32_t)(faults->value[CABLE_LOSS] * UINT32_MAX / 1000000),
		.delay_ns = faults->value[CABLE_DELAY] * 1000,
		.bytes_per_second = (uint64_t)faults->value[CABLE_RATE] / 8,
		.limit = QUEUE_PACKETS,
	};
	int ret;

	cable_faults_text(faults, host->faults);
	if (!host->faults[0])
		return 0;
	ret = netlink_netem_add(host->nl, host->ifindex, &netem, err);
	if (ret == 0)
		snprintf(host->qdisc, sizeof(host->qdisc), "netem");
	host->delay_ms = (int)(faults->value[CABLE_DELAY] / 1000);
	if (ret == -ENOENT || ret == -EOPNOTSUPP)
		return vbm_fail(err, EOPNOTSUPP, "the kernel below the hosts has no netem (CONFIG_NET_SCH_NETEM), which "
				"--loss, --delay and --rate need; lane uml has it");
	return ret;
}

int fabric_dropped(struct fabric *fabric, int i, uint64_t *count, struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];

	struct netem_counts counts = {0};
	int ret = host->faults[0] ? netlink_netem_counts(host->nl, host->ifindex, &counts, err) : 0;

	*count = counts.dropped;
	return ret;
}

const char *fabric_faults(const struct fabric *fabric, int i)
{
	return fabric->host[i].faults;
}
