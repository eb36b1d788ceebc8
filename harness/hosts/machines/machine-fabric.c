/* SPDX-License-Identifier: BSD-2-Clause */
#include "machines/machine-fabric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"
#include "machine-line/machine-line.h"
#include "names/device-types.h"

#define ASK_MS 10000
#define PATH_ROUNDS 8
#define PUT_BACK_MS 60000	/* a machine may wait for its link, and for its addresses */

struct machines {
	int machines;
	bool kernels;	/* they are kernels of places of this run */
	bool may_disturb;
	struct {
		struct machine_line *there;	/* owned */
		struct value *described;	/* owned; what its station said, or NULL */
	} at[FABRIC_HOSTS_MAX];
};

static struct value *new_question(const char *name)
{
	struct value *v = value_map();

	value_set_string(v, "ask", name);
	return v;
}

static void copy_text(char *to, size_t size, const struct value *from, const char *key)
{
	snprintf(to, size, "%.*s", (int)size - 1, value_get_string(from, key, ""));
}

static const struct value *list_of(const struct value *answer, const char *key)
{
	static const struct value none = {.type = VALUE_LIST};
	const struct value *v = value_get(answer, key);

	return v && v->type == VALUE_LIST ? v : &none;
}

static void close_lines(struct fabric *fabric)
{
	struct machines *stations = fabric->machines;
	int i;

	for (i = 0; i < stations->machines; i++) {
		machine_line_close(stations->at[i].there);
		value_free(stations->at[i].described);
	}
	free(stations);
}

static bool is_clean(struct fabric *fabric, unsigned parts, struct value *left)
{
	struct machines *stations = fabric->machines;
	struct vbm_error err = {0};
	struct value *q, *answer;
	bool clean = true;
	size_t k;
	int i;

	for (i = 0; i < fabric->count; i++) {
		q = new_question("clean");
		value_set_int(q, "parts", parts);
		clean &= machine_line_post(stations->at[i].there, q, &err) == 0;
	}
	for (i = 0; i < fabric->count; i++) {
		const struct value *texts;

		if (machine_line_answer(stations->at[i].there, &answer, ASK_MS, &err) < 0) {
			clean = false;
			continue;
		}
		texts = list_of(answer, "left");
		for (k = 0; k < texts->list.count; k++) {
			clean = false;
			if (left)
				value_append(left, value_dup(texts->list.item[k]));
		}
		value_free(answer);
	}
	return clean;
}

/*
 * The first machine whose connection needs its interface, or may need it; -1: none. The machines share their links, so a
 * change at another machine may end this connection, too.
 */
static int carrying(const struct machines *stations)
{
	int i;

	for (i = 0; i < stations->machines; i++)
		if (value_get(stations->at[i].described, "carries"))
			return i;
	return -1;
}

char *machines_stays(const struct fabric *fabric, int i, enum machine_part part)
{
	const struct machines *stations = fabric->machines;
	const struct value *v = stations->at[i].described;
	const char *name = fabric->host[i].info.name, *driver = value_get_string(v, "driver", "");
	const char *no_right = value_get_string(v, "no_right", NULL);
	int carrier = carrying(stations);

	if (!stations->may_disturb)
		return xstrdup("Verbatim does not change your machines; --may-disturb lets a scenario change them until it ends");
	if (no_right)
		return xasprintf("machine %s: %s", name, no_right);
	if (part == MACHINE_SETTINGS && carrier >= 0)
		return xasprintf("machine %s: %s", fabric->host[carrier].info.name,
				 value_get_string(stations->at[carrier].described, "carries", ""));
	if (part == MACHINE_DEVICE && !device_type_find(driver))
		return xasprintf("machine %s: Verbatim could not restore its device %s, which the driver %s found in hardware", name,
				 fabric->host[i].info.dev, driver);
	return NULL;
}

static char *get_abilities(struct fabric *fabric, int i, struct vbm_error *err)
{
	struct machines *stations = fabric->machines;

	(void)err;
	return xstrdup(value_get_string(stations->at[i].described, "can", ""));
}

static int list_listeners(struct fabric *fabric, int i, void (*fn)(int pid, void *arg), void *arg, struct vbm_error *err)
{
	auto_value struct value *answer = NULL;
	int ret = machine_line_ask(fabric->machines->at[i].there, new_question("listeners"), &answer, ASK_MS, err);
	const struct value *list = list_of(answer, "list");
	size_t k;

	for (k = 0; ret == 0 && k < list->list.count; k++)
		if (list->list.item[k]->type == VALUE_INT)
			fn((int)list->list.item[k]->i, arg);
	return ret;
}

static int list_objects(struct fabric *fabric, int i, void (*fn)(const struct rdma_object *object, void *arg), void *arg,
		struct vbm_error *err)
{
	auto_value struct value *answer = NULL;
	int ret = machine_line_ask(fabric->machines->at[i].there, new_question("objects"), &answer, ASK_MS, err);
	const struct value *list = list_of(answer, "list"), *v;
	struct rdma_object o;
	size_t k;

	for (k = 0; ret == 0 && k < list->list.count; k++) {
		v = list->list.item[k];
		o = (struct rdma_object){
			.is_qp = value_get_bool(v, "is_qp", false),
			.number = (uint32_t)value_get_int(v, "number", 0),
			.peer = (uint32_t)value_get_int(v, "peer", 0),
			.type = value_get_string(v, "type", ""),
			.state = value_get_string(v, "state", ""),
			.pid = (int)value_get_int(v, "pid", 0),
			.kernel = value_get_string(v, "kernel", NULL),
		};
		copy_text(o.from, sizeof(o.from), v, "from");
		copy_text(o.to, sizeof(o.to), v, "to");
		fn(&o, arg);
	}
	return ret;
}

static int list_counters(struct fabric *fabric, int i, void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
		 struct vbm_error *err)
{
	auto_value struct value *answer = NULL;
	int ret = machine_line_ask(fabric->machines->at[i].there, new_question("counters"), &answer, ASK_MS, err);
	size_t k;

	for (k = 0; ret == 0 && answer->type == VALUE_MAP && k < answer->map.count; k++)
		if (answer->map.member[k].value->type == VALUE_INT)
			fn(answer->map.member[k].key, (uint64_t)answer->map.member[k].value->i, arg);
	return ret;
}

struct wanted_counter {
	const char *name;
	uint64_t value;
	bool found;
};

static void match(const char *name, uint64_t value, void *arg)
{
	struct wanted_counter *w = arg;

	if (strcmp(name, w->name))
		return;
	w->value = value;
	w->found = true;
}

static int read_counter(struct fabric *fabric, int i, const char *name, uint64_t *value, struct vbm_error *err)
{
	struct wanted_counter w = {.name = name};
	int ret = list_counters(fabric, i, match, &w, err);

	if (ret == 0 && !w.found)
		return vbm_fail(err, ENOENT, "machine %s has no counter %s", machine_line_name(fabric->machines->at[i].there), name);
	*value = w.value;
	return ret;
}

static const struct host_ops machines_answer = {
	.elsewhere = true,
	.close = close_lines,
	.is_clean = is_clean,
	.abilities = get_abilities,
	.listeners = list_listeners,
	.objects = list_objects,
	.counters = list_counters,
	.counter = read_counter,
};

static void take_host(struct host *host, const struct value *v)
{
	struct host_info *info = &host->info;

	copy_text(info->dev, sizeof(info->dev), v, "dev");
	copy_text(info->netdev, sizeof(info->netdev), v, "netdev");
	copy_text(info->ip4, sizeof(info->ip4), v, "ip4");
	copy_text(info->ip6, sizeof(info->ip6), v, "ip6");
	copy_text(info->mac, sizeof(info->mac), v, "mac");
	copy_text(info->gid4, sizeof(info->gid4), v, "gid4");
	copy_text(info->gid6, sizeof(info->gid6), v, "gid6");
	info->gid_index4 = (int)value_get_int(v, "gid_index4", -1);
	info->gid_index6 = (int)value_get_int(v, "gid_index6", -1);
	info->port = (int)value_get_int(v, "port", 1);
}

static int ask_find(struct machines *stations, int i, const struct machines_options *opts, struct vbm_error *err)
{
	struct value *q = new_question("find");

	value_set(q, "machine", value_dup(opts->machines->list.item[i]));
	value_set_int(q, "factor", opts->factor);
	value_set_bool(q, "disturb", opts->may_disturb);
	value_set_bool(q, "configure", opts->may_configure);
	value_set_int(q, "host", i);
	value_set_bool(q, "messages", stations->kernels);
	return machine_line_post(stations->at[i].there, q, err);
}

static int begin_all(struct machines *stations, const struct machines_options *opts, struct vbm_error *err)
{
	struct machine_line_program program;
	const struct value *machine;
	int i, ret = opts->stations ? 0 : machine_line_program_read(&program, err);

	for (i = 0; ret == 0 && i < stations->machines; i++) {
		machine = opts->machines->list.item[i];
		if (opts->stations)
			machine_line_adopt(&stations->at[i].there, machine, opts->stations[i]);
		else
			ret = machine_line_begin(&stations->at[i].there, machine, &program, err);
	}
	return ret;
}

/* Says what each machine lacks and gets. */
static int plan_one(struct machines *stations, int i, const struct machines_options *opts, struct vbm_error *err)
{
	auto_value struct value *answer = NULL;
	struct value *q = new_question("plan");
	const struct value *lines;
	char name[8];
	size_t k;
	int ret;

	value_set(q, "machine", value_dup(opts->machines->list.item[i]));
	value_set_int(q, "host", i);
	ret = machine_line_ask(stations->at[i].there, q, &answer, PUT_BACK_MS, err);
	lines = list_of(answer, "plan");
	host_name(i, name);
	for (k = 0; ret == 0 && k < lines->list.count; k++)
		if (lines->list.item[k]->type == VALUE_STRING)
			opts->tell(name, lines->list.item[k]->s, opts->arg);
	return ret;
}

static int connect_all(struct fabric *fabric, const struct machines_options *opts, struct vbm_error *err)
{
	struct machines *stations = fabric->machines;
	int i, ret = begin_all(stations, opts, err);

	for (i = 0; ret == 0 && i < stations->machines; i++)
		ret = machine_line_ready(stations->at[i].there, err);
	for (i = 1; ret == 0 && i < stations->machines; i++)
		machine_line_join(stations->at[0].there, stations->at[i].there);
	for (i = 0; ret == 0 && opts->may_configure && i < stations->machines; i++)
		ret = plan_one(stations, i, opts, err);
	for (i = 0; ret == 0 && i < stations->machines; i++)
		ret = ask_find(stations, i, opts, err);
	for (i = 0; ret == 0 && i < stations->machines; i++)
		ret = machine_line_answer(stations->at[i].there, &stations->at[i].described, PUT_BACK_MS, err);
	for (i = 0; ret == 0 && i < stations->machines; i++) {
		host_name(i, fabric->host[i].info.name);
		take_host(&fabric->host[i], stations->at[i].described);
		if (!host_has_device(&fabric->host[i]))
			fabric->scripted |= 1ULL << i;
	}
	return ret;
}

static int same_mtu(struct fabric *fabric, struct vbm_error *err)
{
	const struct machines *stations = fabric->machines;
	int i, mtu;

	fabric->mtu = (int)value_get_int(stations->at[0].described, "mtu", 0);
	for (i = 1; i < stations->machines; i++) {
		mtu = (int)value_get_int(stations->at[i].described, "mtu", 0);
		if (mtu != fabric->mtu)
			return vbm_fail(err, EINVAL, "machine %s has an MTU of %d at %s, and machine %s has %d at %s; "
					"make them equal: ip link set DEV mtu N", machine_line_name(stations->at[0].there), fabric->mtu,
					fabric->host[0].info.netdev, machine_line_name(stations->at[i].there), mtu,
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
static int post_all(struct machines *stations, struct value *q, struct vbm_error *err)
{
	int i, ret = 0;

	for (i = 0; ret == 0 && i < stations->machines; i++)
		ret = machine_line_post(stations->at[i].there, value_dup(q), err);
	value_free(q);
	return ret;
}

/* Takes all answers. *@missing is the first text that one of them has, which the caller frees; NULL: none has one. */
static int take_all(struct machines *stations, char **missing, struct vbm_error *err)
{
	const char *said;
	int i, ret = 0;

	*missing = NULL;
	for (i = 0; ret == 0 && i < stations->machines; i++) {
		auto_value struct value *answer = NULL;

		ret = machine_line_answer(stations->at[i].there, &answer, ASK_MS, err);
		said = ret == 0 ? value_get_string(answer, "missing", NULL) : NULL;
		if (said && !*missing)
			*missing = xasprintf("machine %s: %s", machine_line_name(stations->at[i].there), said);
	}
	return ret;
}

static int listen_all(struct machines *stations, struct vbm_error *err)
{
	auto_free char *missing = NULL;

	return post_all(stations, new_question("listen"), err) ?:
	       take_all(stations, &missing, err);
}

/*
 * In each round every machine sends datagrams as long as the MTU to all others, over both families, and says
 * what did not come. The first packets of a path may be lost.
 */
static int check_path(struct fabric *fabric, struct vbm_error *err)
{
	struct machines *stations = fabric->machines;
	auto_free char *missing = NULL;
	struct value *q;
	uint32_t run = 0;
	int round, ret = 0;

	if (getrandom(&run, sizeof(run), 0) < 0)
		run = (uint32_t)clock_now_ns();
	for (round = 0; ret == 0 && (round == 0 || missing) && round < PATH_ROUNDS; round++) {
		q = new_question("path");
		value_set(q, "peers", peers_of(fabric));
		value_set_int(q, "run", run);
		free(missing);
		missing = NULL;
		ret = post_all(stations, q, err) ?:
		      take_all(stations, &missing, err);
	}
	return ret == 0 && missing ? vbm_fail(err, EHOSTUNREACH, "%s", missing) : ret;
}

int machines_put_back(struct fabric *fabric, struct vbm_error *err)
{
	struct machines *stations = fabric->machines;
	int i, ret = post_all(stations, new_question("put-back"), err), one;
	struct vbm_error why;

	/* All machines are put back, even if one cannot be. */
	for (i = 0; ret != -ECONNRESET && i < stations->machines; i++) {
		auto_value struct value *answer = NULL;

		one = machine_line_answer(stations->at[i].there, &answer, PUT_BACK_MS, ret < 0 ? &why : err);
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
	ret = connect_all(fabric, opts, err) ?:
	      same_mtu(fabric, err) ?:
	      listen_all(fabric->machines, err) ?:
	      check_path(fabric, err);
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
	struct machines *stations = fabric->machines;
	struct vbm_error err = {0};
	const struct value *list;
	size_t k;
	int i;

	if (!machines_have_kernels(fabric))
		return;
	for (i = 0; i < stations->machines; i++)
		machine_line_post(stations->at[i].there, new_question("messages"), &err);
	for (i = 0; i < stations->machines; i++) {
		auto_value struct value *answer = NULL;

		if (machine_line_answer(stations->at[i].there, &answer, ASK_MS, &err) < 0)
			continue;
		list = list_of(answer, "records");
		for (k = 0; k < list->list.count; k++)
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
