/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/handshake/grace.h"

#define MS 1000000LL
#define LIMIT_MS 800	/* the peer has calls of ibv_modify_qp(3) to make */
#define CROWD_MS 500	/* for all that wait, one after another */
#define TRUST_MS 200	/* before any client gave way; each one halves it */
#define SHORTEST_MS 10
#define USUAL_TIMES 4	/* a good client may take so many times the mean */
#define USUAL_SHIFT 3	/* of the mean: one more client counts 1/8 */

void vbm_grace_waiting(struct grace *g, unsigned int clients)
{
	if (clients > g->crowd)
		g->crowd = clients;
	if (!clients)
		g->crowd = g->silent = 0;
}

void vbm_grace_gave_way(struct grace *g)
{
	g->silent++;
}

void vbm_grace_answered(struct grace *g, int64_t after_ns)
{
	g->usual_ns += g->usual_ns ? (after_ns - g->usual_ns) >> USUAL_SHIFT : after_ns;
}

static int64_t longer(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t shorter(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t vbm_grace_ns(const struct grace *g, unsigned int holders)
{
	int64_t limit = (g->limit_ms > 0 ? g->limit_ms : LIMIT_MS) * MS, ns;

	if (!g->crowd)
		return limit;
	ns = longer(CROWD_MS * MS * holders / g->crowd, SHORTEST_MS * MS);
	ns = longer(ns, g->silent < 8 ? TRUST_MS * MS >> g->silent : 0);
	ns = longer(ns, shorter(USUAL_TIMES * g->usual_ns, TRUST_MS * MS));
	return shorter(ns, limit);
}
