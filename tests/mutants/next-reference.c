/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <verbatim/resolve.h>

#include "lib/verbs/verbs.h"
#include "tests/mutants/mutant.h"

/* The calls that libverbatim carries out. It leaves the rest to the system's libraries. */
static const struct {
	const char *symbol;
	void (*own)(void);
} owns[] = {
#define OWN(symbol, own) {symbol, (void (*)(void))(own)},
#define CALL(...)
#define OURS(result, field, type, symbol, ...) OWN(#symbol, vbm_##field)
#include "names/calls.def"
	OWN("rdma_resolve_addrinfo", vbm_resolve_addrinfo)
	OWN("rdma_query_addrinfo", vbm_query_addrinfo)
#undef OWN
};

void *mutant_own(const char *symbol)
{
	void *next = NULL;
	size_t i;

	for (i = 0; i < sizeof(owns) / sizeof(owns[0]); i++)
		if (strcmp(owns[i].symbol, symbol) == 0)
			memcpy(&next, &owns[i].own, sizeof(next));
	return next;
}
