/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "machines/machine-fabric-priv.h"
#include "machines/machine-fabric.h"
#include "lib/base/fail.h"

#define PATH_ROUNDS 8
#define PUT_BACK_MS 60000	/* a machine may wait for its link, and for its addresses */

static void take_host(struct host *host, const struct value *v)
{
	struct host_info *info = &host->info;

	machine_copy_text(info->dev, sizeof(info->dev), v, "dev");
	machine_copy_text(info->netdev, sizeof(info->netdev), v, "netdev");
	machine_copy_text(info->ip4, sizeof(info->ip4), v, "ip4");
	machine_copy_text(info->ip6, sizeof(info->ip6), v, "ip6");
	machine_copy_text(info->mac, sizeof(info->mac), v, "mac");
	machine_copy_text(info->gid4, sizeof(info->gid4), v, "gid4");
	machine_copy_text(info->gid6, sizeof(info->gid6), v, "gid6");
	info->gid_index4 = (int)value_get_int(v, "gid_index4", -1);
	info->gid_index6 = (int)value_get_int(v, "gid_index6", -1);
	info->port = (int)value_get_int(v, "port", 1);
}

static int ask_find(struct machines *far, int i, const struct machines_options *opts, struct vbm_error *err)
{
	struct value *q = machine_question("find");

	value_set(q, "machine", value_dup(opts->machines->list.item[i]));
	value_set_int(q, "factor", opts->factor);
	value_set_bool(q, "disturb", opts->may_disturb);
	value_set_bool(q, "configure", opts->may_configure);
	value_set_int(q, "host", i);
	value_set_bool(q, "messages", far->kernels);
	return machine_line_post(far->at[i].there, q, err);
}

static int begin_all(struct machines *far, const struct machines_options *opts, struct vbm_error *err)
{
	struct machine_line_program program;
	const struct value *machine;
	int i, ret = opts->stations ? 0 : machine_line_program_read(&program, err);

	for (i = 0; ret == 0 && i < far->machines; i++) {
		machine = opts->machines->list.item[i];
		if (opts->stations)
			machine_line_adopt(&far->at[i].there, machine, opts->stations[i]);
		else
			ret = machine_line_begin(&far->at[i].there, machine, &program, err);
	}
	return ret;
}

/* Says what each machine lacks and gets. */
static int plan_one(struct machines *far, int i, const struct machines_options *opts, struct vbm_error *err)
{
	auto_value struct value *answer = NULL;
	struct value *q = machine_question("plan");
	const struct value *lines;
	char name[8];
	size_t k;
	int ret;

	value_set(q, "machine", value_dup(opts->machines->list.item[i]));
	value_set_int(q, "host", i);
	ret = machine_line_ask(far->at[i].there, q, &answer, PUT_BACK_MS, err);
	lines = ret == 0 ? value_get(answer, "plan") : NULL;
	host_name(i, name);
	for (k = 0; lines && lines->type == VALUE_LIST && k < lines->list.count; k++)
		if (lines->list.item[k]->type == VALUE_STRING)
			opts->tell(name, lines->list.item[k]->s, opts->arg);
	return ret;
}

static int connect_all(struct fabric *fabric, const struct machines_options *opts, struct vbm_error *err)
{
	struct machines *far = fabric->machines;
	int i, ret = begin_all(far, opts, err);

	for (i = 0; ret == 0 && i < far->machines; i++)
		ret = machine_line_ready(far->at[i].there, err);
	for (i = 1; ret == 0 && i < far->machines; i++)
		machine_line_join(far->at[0].there, far->at[i].there);
	for (i = 0; ret == 0 && opts->may_configure && i < far->machines; i++)
		ret = plan_one(far, i, opts, err);
	for (i = 0; ret == 0 && i < far->machines; i++)
		ret = ask_find(far, i, opts, err);
	for (i = 0; ret == 0 && i < far->machines; i++)
		ret = machine_line_answer(far->at[i].there, &far->at[i].described, PUT_BACK_MS, err);
	for (i = 0; ret == 0 && i < far->machines; i++) {
		host_name(i, fabric->host[i].info.name);
		take_host(&fabric->host[i], far->at[i].described);
		if (!host_has_device(&fabric->host[i]))
			fabric->scripted |= 1ULL << i;
	}
	return ret;
}

static int same_mtu(struct fabric *fabric, struct vbm_error *err)
{
	const struct machines *far = fabric->machines;
	int i, mtu;

	fabric->mtu = (int)value_get_int(far->at[0].described, "mtu", 0);
	for (i = 1; i < far->machines; i++) {
		mtu = (int)value_get_int(far->at[i].described, "mtu", 0);
		if (mtu != fabric->mtu)
			return vbm_fail(err, EINVAL, "machine %s has an MTU of %d at %s, and machine %s has %d at %s; "
					"make them equal: ip link set DEV mtu N", machine_line_name(far->at[0].there), fabric->mtu,
					fabric->host[0].info.netdev, machine_line_name(far->at[i].there), mtu,
					fabric->host[i].info.netdev);
	}
	return 0;
}

static struct value *peers_of(const struct fabric *fabric)
{
	struct value *peers = value_list(), *peer;
	int i;

	for (i = 0; i < fabric->machines->machines; i++) {
		peer = value_map();
		value_set_string(peer, "ip4", fabric->host[i].info.ip4);
		value_set_string(peer, "ip6", fabric->host[i].info.ip6);
		value_set_string(peer, "machine", machine_line_name(fabric->machines->at[i].there));
		value_set_string(peer, "place", value_get_string(fabric->machines->at[i].described, "place", ""));
		value_append(peers, peer);
	}
	return peers;
}

/* Sends the question to all machines, and frees it. */
static int post_all(struct machines *far, struct value *q, struct vbm_error *err)
{
	int i, ret = 0;

	for (i = 0; ret == 0 && i < far->machines; i++)
		ret = machine_line_post(far->at[i].there, value_dup(q), err);
	value_free(q);
	return ret;
}

/* Takes all answers. *@missing is the first text that one of them has, which the caller frees; NULL: none has one. */
static int take_all(struct machines *far, char **missing, struct vbm_error *err)
{
	const char *said;
	int i, ret = 0;

	*missing = NULL;
	for (i = 0; ret == 0 && i < far->machines; i++) {
		auto_value struct value *answer = NULL;

		ret = machine_line_answer(far->at[i].there, &answer, ASK_MS, err);
		said = ret == 0 ? value_get_string(answer, "missing", NULL) : NULL;
		if (said && !*missing)
			*missing = xasprintf("machine %s: %s", machine_line_name(far->at[i].there), said);
	}
	return ret;
}

static int listen_all(struct machines *far, struct vbm_error *err)
{
	auto_free char *missing = NULL;
	int ret = post_all(far, machine_question("listen"), err);

	return ret < 0 ? ret : take_all(far, &missing, err);
}

/*
 * In each round every machine sends datagrams as long as the MTU to all others, over both families, and says
 * what did not come. The first packets of a path may be lost.
 */
static int check_path(struct fabric *fabric, struct vbm_error *err)
{
	struct machines *far = fabric->machines;
	auto_free char *missing = NULL;
	struct value *q;
	uint32_t run = 0;
	int round, ret = 0;

	if (getrandom(&run, sizeof(run), 0) < 0)
		run = (uint32_t)clock_now_ns();
	for (round = 0; ret == 0 && (round == 0 || missing) && round < PATH_ROUNDS; round++) {
		q = machine_question("path");
		value_set(q, "peers", peers_of(fabric));
		value_set_int(q, "run", run);
		free(missing);
		missing = NULL;
		ret = post_all(far, q, err);
		if (ret == 0)
			ret = take_all(far, &missing, err);
	}
	return ret == 0 && missing ? vbm_fail(err, EHOSTUNREACH, "%s", missing) : ret;
}

int machines_put_back(struct fabric *fabric, struct vbm_error *err)
{
	struct machines *far = fabric->machines;
	int i, ret = post_all(far, machine_question("put-back"), err), one;
	struct vbm_error why;

	/* All machines are put back, even if one cannot be. */
	for (i = 0; ret != -ECONNRESET && i < far->machines; i++) {
		auto_value struct value *answer = NULL;

		one = machine_line_answer(far->at[i].there, &answer, PUT_BACK_MS, ret < 0 ? &why : err);
		if (one == 0)
			take_host(&fabric->host[i], answer);
		else if (ret == 0)
			ret = one;
	}
	return ret < 0 ? ret : check_path(fabric, err);
}

int machines_fabric(struct fabric **out, const struct machines_options *opts, struct vbm_error *err)
{
	size_t machines = opts->machines->list.count;
	int count = machines < FABRIC_HOSTS_MAX ? (int)machines : FABRIC_HOSTS_MAX;
	struct fabric *fabric = fabric_empty(LAYOUT_MACHINES, count);
	int64_t start_ns = clock_now_ns();
	int ret;

	fabric->found = fabric->rdma = true;
	fabric->hosts = &machines_answer;
	fabric->machines = xcalloc(1, sizeof(*fabric->machines));
	fabric->machines->machines = count;
	fabric->machines->kernels = opts->stations;
	fabric->machines->may_disturb = opts->may_disturb;
	ret = connect_all(fabric, opts, err);
	if (ret == 0)
		ret = same_mtu(fabric, err);
	if (ret == 0)
		ret = listen_all(fabric->machines, err);
	if (ret == 0)
		ret = check_path(fabric, err);
	if (ret < 0) {
		fabric_free(fabric);
		return ret;
	}
	fabric->build_ms = (int)((clock_now_ns() - start_ns) / 1000000);
	*out = fabric;
	return 0;
}

void machines_messages(struct fabric *fabric, void (*fn)(const char *host, const char *record, void *arg), void *arg)
{
	struct machines *far = fabric->machines;
	struct vbm_error err = {0};
	const struct value *list;
	size_t k;
	int i;

	if (!machines_have_kernels(fabric))
		return;
	for (i = 0; i < far->machines; i++)
		machine_line_post(far->at[i].there, machine_question("messages"), &err);
	for (i = 0; i < far->machines; i++) {
		auto_value struct value *answer = NULL;

		if (machine_line_answer(far->at[i].there, &answer, ASK_MS, &err) < 0)
			continue;
		list = value_get(answer, "records");
		for (k = 0; list && list->type == VALUE_LIST && k < list->list.count; k++)
			if (list->list.item[k]->type == VALUE_STRING)
				fn(fabric->host[i].info.name, list->list.item[k]->s, arg);
	}
}

bool machines_have_kernels(const struct fabric *fabric)
{
	return fabric->machines && fabric->machines->kernels;
}

int machines_count(const struct fabric *fabric)
{
	return fabric->machines->machines;
}

void machines_use(struct fabric *fabric, int hosts)
{
	fabric->count = hosts;
}

struct machine_line *machines_line(const struct fabric *fabric, int i)
{
	return fabric->machines ? fabric->machines->at[i].there : NULL;
}

struct described machines_described(const struct fabric *fabric, int i)
{
	const struct value *v = fabric->machines->at[i].described;

	return (struct described){
		.nodename = value_get_string(v, "nodename", ""),
		.kernel = value_get_string(v, "kernel", ""),
		.rdma_core = value_get_string(v, "rdma_core", ""),
		.driver = value_get_string(v, "driver", ""),
		.firmware = value_get_string(v, "firmware", ""),
		.can = value_get_string(v, "can", ""),
		.mtu = (int)value_get_int(v, "mtu", 0),
		.copied = machine_line_copied(fabric->machines->at[i].there),
		.swept = value_get(v, "swept"),
	};
}

const char *machines_broken(const struct fabric *fabric)
{
	const char *why = NULL;
	int i;

	for (i = 0; !why && i < fabric->machines->machines; i++)
		why = machine_line_broken(fabric->machines->at[i].there);
	return why;
}
