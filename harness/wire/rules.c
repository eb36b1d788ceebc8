/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/rules.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "net/bpf.h"

int rules_open(struct packet_rules *r, const char *interface, struct vbm_error *err)
{
	*r = (struct packet_rules){.counts = -1, .link = -1, .ifindex = (int)if_nametoindex(interface)};
	if (!r->ifindex)
		return vbm_fail(err, errno, "there is no interface %s: %s", interface, strerror(errno));
	return bpf_array_new(&r->counts, RULES_MAX, sizeof(struct rule_counts), err);
}

/* The link keeps the program, so its descriptor is not needed any more. */
static int put_on(struct packet_rules *r, struct vbm_error *err)
{
	auto_free struct rule_code *code = xcalloc(1, sizeof(*code));
	auto_close int program = -1;
	int rc = rule_code(code, r->rule, r->count, r->counts, err);

	if (rc == 0)
		rc = bpf_program_new(&program, code->insn, code->count, err);
	if (rc < 0)
		return rc;
	return r->link < 0 ? bpf_link_new(&r->link, program, r->ifindex, err) : bpf_link_replace(r->link, program, err);
}

int rules_add(struct packet_rules *r, struct packet_rule *rule, struct vbm_error *err)
{
	int rc;

	GROW(r->rule, r->count);
	r->rule[r->count++] = *rule;
	rc = put_on(r, err);
	if (rc < 0) {
		pattern_fini(&r->rule[--r->count].pattern);
		return rc;
	}
	return (int)r->count - 1;
}

int rules_end(struct packet_rules *r, size_t number, struct vbm_error *err)
{
	r->rule[number].action = RULE_OFF;
	return put_on(r, err);
}

int rules_counts(const struct packet_rules *r, size_t number, struct rule_counts *counts, struct vbm_error *err)
{
	return bpf_array_get(r->counts, (uint32_t)number, counts, err);
}

void rules_close(struct packet_rules *r)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		pattern_fini(&r->rule[i].pattern);
	free(r->rule);
	if (r->link >= 0)
		close(r->link);
	if (r->counts >= 0)
		close(r->counts);
	*r = (struct packet_rules){.counts = -1, .link = -1};
}
