/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "machines/found.h"
#include "lib/base/fail.h"
#include "names/rdma-core.h"
#include "net/nl.h"
#include "machine-station/station-priv.h"

#define UNUSED __attribute__((unused))

/* The head of the function that answers a question. It may need only some of these. */
#define ANSWER(name)                                                          \
	static int name(struct station *s UNUSED, const struct value *q UNUSED, struct value *answer UNUSED, \
			struct vbm_error *err UNUSED)

/* Why this machine, or a part of it, must stay as it is, although the run may change machines. */

#define STACK_MAX 8	/* interfaces that are made of others: a VLAN on a bond on a bridge */

/* Whether packets of the interface @upper go through @lower. */
static bool goes_through(const char *upper, const char *lower, int depth)
{
	auto_free char *path = xasprintf("/sys/class/net/%s", upper);
	const struct dirent *entry;
	auto_dir DIR *dir = NULL;

	if (!strcmp(upper, lower))
		return true;
	if (depth == STACK_MAX)
		return false;
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "lower_", strlen("lower_")) &&
		    goes_through(entry->d_name + strlen("lower_"), lower, depth + 1))
			return true;
	return false;
}

/*
 * The first and the third word of SSH_CONNECTION: who is connected to which address of this machine. A link-local address has
 * the interface behind it.
 */
static bool carries_connection(struct netlink *nl, const char *netdev, const char *connection, bool *known)
{
	char peer[64], own[64], name[IF_NAMESIZE] = "", *zone;
	struct ip_prefix ip = {0};
	bool local = false;
	int ifindex = 0;

	*known = true;
	if (sscanf(connection, "%63s %*s %63s", peer, own) != 2)
		return false;
	own[strcspn(own, "%")] = '\0';
	zone = strchr(peer, '%');
	if (zone)
		*zone++ = '\0';
	*known = ip_parse(own, &ip) && netlink_route_to(nl, &ip, &ifindex, &local, NULL) == 0;
	/* The connection is one of another network namespace. */
	if (!*known || !local)
		return false;
	if (zone)
		return goes_through(zone, netdev, 0);
	*known = ip_parse(peer, &ip) && netlink_route_to(nl, &ip, &ifindex, &local, NULL) == 0 && if_indextoname((unsigned)ifindex, name);
	return *known && goes_through(name, netdev, 0);
}

/* An MTU that the interface has already is no change, and needs the same right. */
static int try_right(struct netlink *nl, const char *netdev, struct vbm_error *err)
{
	struct link link;
	int ret = netlink_link_get(nl, netdev, &link, err);

	return ret < 0 ? ret : netlink_link_mtu(nl, netdev, link.mtu, err);
}

/*
 * Answers why steps must not change this machine: "no_right" is what the kernel says, "carries" that the connection of the
 * runner needs the interface.
 */
static int station_stays(struct station *s, struct value *answer, struct vbm_error *err)
{
	const struct host_info *info = fabric_host(s->fabric, 0);
	struct netlink *nl;
	bool known = true;
	int ret = netlink_open(&nl, -1, err);

	if (ret < 0)
		return ret;
	if (try_right(nl, info->netdev, err) < 0)
		value_set_string(answer, "no_right", err->msg);
	else if (carries_connection(nl, info->netdev, s->connection, &known))
		value_set(answer, "carries", value_format_string("%s carries the connection to it", info->netdev));
	else if (!known)
		value_set(answer, "carries", value_format_string("whether %s carries the connection to it is not known", info->netdev));
	netlink_close(nl);
	*err = (struct vbm_error){0};
	return 0;
}

/* The messages of this kernel, for a run that started it. The messages of other machines are not read. */

#define RECORD_MAX 8192
#define RECORDS_MAX 256	/* in one answer; the rest comes with the next one */

/* From now on the messages of this kernel are kept. */
static int messages_begin(struct station *s, struct vbm_error *err)
{
	s->kmsg_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->kmsg_fd < 0)
		return vbm_fail(err, errno, "/dev/kmsg: %s", strerror(errno));
	lseek(s->kmsg_fd, 0, SEEK_END);
	return 0;
}

/* Tells those that came since the last question. */
ANSWER(messages_tell)
{
	struct value *list = value_list();
	char record[RECORD_MAX + 1];
	ssize_t n = 0;

	value_set(answer, "records", list);
	while (s->kmsg_fd >= 0 && list->list.count < RECORDS_MAX) {
		n = read(s->kmsg_fd, record, RECORD_MAX);
		/* Records were overwritten: read the next one. */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		value_append(list, value_string(record));
	}
	return 0;
}

static void put_machine(struct value *answer)
{
	struct utsname u;

	uname(&u);
	value_set_string(answer, "nodename", u.nodename);
	value_set_string(answer, "kernel", u.release);
	value_set_string(answer, "rdma_core", rdma_core_version());
}

/* The question "find" would find this. */
static void put_found(const struct found_options *opts, struct value *answer)
{
	struct fabric *fabric = NULL;
	struct value *said = NULL;
	struct vbm_error err = {0};

	if (found_fabric(&fabric, opts, &err) < 0 || found_describe(fabric, &said, &err) < 0)
		value_set_string(answer, "error", err.msg);
	else
		value_set(answer, "used", said);
	fabric_free(fabric);
}

/* Tells what "find" would find, and all that a doctor wants to know. Nothing is changed. */
ANSWER(station_look)
{
	struct found_options opts = {.wanted = value_get(q, "machine"), .host = (int)value_get_int(q, "host", 0)};
	struct value *left = value_list(), *plan = value_list(), *devices = NULL;
	struct vbm_error none;

	put_machine(answer);
	value_set(answer, "left", left);
	value_set(answer, "plan", plan);
	fabric_sweep(true, station_note_line, left, &none);
	put_found(&opts, answer);
	/* If the interface is not there, the error of put_found() says so already. */
	found_plan(&opts, station_note_line, plan, &none);
	if (found_all(&devices, true, err) < 0)
		return -err->code;
	value_set(answer, "devices", devices);
	return 0;
}

static int describe_found(struct station *s, struct value *answer, struct vbm_error *err)
{
	struct value *said = NULL;
	int ret = found_describe(s->fabric, &said, err);

	if (ret == 0)
		value_merge(answer, said);
	value_free(said);
	return ret;
}

/* Undo the changes of a killed run first: the device may be gone, or its interface down. */
static int sweep_station(struct station *s, struct vbm_error *err)
{
	if (!s->swept)
		s->swept = value_list();
	return fabric_sweep_machine(station_note_line, s->swept, err);
}

ANSWER(find_fabric)
{
	int ret;

	if (s->fabric)
		return vbm_fail(err, EALREADY, "the device was found before");
	clock_set_factor((int)value_get_int(q, "factor", 1));
	s->host = (int)value_get_int(q, "host", 0);
	ret = sweep_station(s, err);
	value_set(answer, "swept", s->swept);
	s->swept = NULL;
	if (ret >= 0)
		ret = found_fabric(&s->fabric, &(struct found_options){
			.wanted = value_get(q, "machine"), .configure = value_get_bool(q, "configure", false), .host = s->host,
		}, err);
	if (ret == 0 && value_get_bool(q, "messages", false))
		ret = messages_begin(s, err);
	if (ret == 0)
		ret = describe_found(s, answer, err);
	if (ret == 0 && value_get_bool(q, "configure", false))
		station_catch_signals(s);
	if (ret < 0 || !value_get_bool(q, "disturb", false))
		return ret;
	station_begin_changes(s);
	return station_stays(s, answer, err);
}

/* Tells what "find" would configure, so that the run can say it before. "find" tells what is swept here. */
ANSWER(plan)
{
	struct found_options opts = {.wanted = value_get(q, "machine"), .host = (int)value_get_int(q, "host", 0)};
	struct value *lines = value_list();
	int ret = sweep_station(s, err);

	value_set(answer, "plan", lines);
	return ret < 0 ? ret : found_plan(&opts, station_note_line, lines, err);
}

ANSWER(put_back)
{
	int ret = station_put_back(s, err);

	return ret < 0 ? ret : describe_found(s, answer, err);
}

ANSWER(clean)
{
	struct value *left = value_list();

	fabric_is_clean(s->fabric, (unsigned)value_get_int(q, "parts", 0), left);
	value_set(answer, "left", left);
	return 0;
}

static void add_pid(int pid, void *list)
{
	value_append(list, value_int(pid));
}

ANSWER(listeners)
{
	struct value *list = value_list();

	value_set(answer, "list", list);
	return fabric_listeners(s->fabric, 0, add_pid, list, err);
}

static void add_object(const struct rdma_object *o, void *list)
{
	struct value *v = value_map();

	value_set_bool(v, "is_qp", o->is_qp);
	value_set_int(v, "number", o->number);
	value_set_int(v, "peer", o->peer);
	value_set_string(v, "type", o->type ? o->type : "");
	value_set_string(v, "state", o->state ? o->state : "");
	value_set_int(v, "pid", o->pid);
	if (o->kernel)
		value_set_string(v, "kernel", o->kernel);
	value_set_string(v, "from", o->from);
	value_set_string(v, "to", o->to);
	value_append(list, v);
}

ANSWER(objects)
{
	struct value *list = value_list();

	value_set(answer, "list", list);
	return fabric_objects(s->fabric, 0, add_object, list, err);
}

static void add_counter(const char *name, uint64_t value, void *map)
{
	value_set_int(map, name, (int64_t)value);
}

ANSWER(counters)
{
	return fabric_counters(s->fabric, 0, add_counter, answer, err);
}

/* The first ones can come before the device was found. */
#define QUESTIONS_BEFORE 3

static const struct {
	const char *name;
	int (*answer)(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err);
} questions[] = {
	{"find", find_fabric},
	{"plan", plan},
	{"look", station_look},
	{"listen", path_listen},
	{"path", path_try},
	{"clean", clean},
	{"put-back", put_back},
	{"listeners", listeners},
	{"objects", objects},
	{"counters", counters},
	{"ready", station_command_ready},
	{"processes", station_command_processes},
	{"doing", lodger_doing},
	{"messages", messages_tell},
};

static int answer_question(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	const char *name = value_get_string(q, "ask", "");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(questions); i++)
		if (!strcmp(questions[i].name, name))
			break;
	if (i == ARRAY_SIZE(questions))
		return vbm_fail(err, EPROTO, "there is no question '%s'", name);
	if (i >= QUESTIONS_BEFORE && !s->fabric)
		return vbm_fail(err, EPROTO, "the question '%s' came before the device was found", name);
	return questions[i].answer(s, q, answer, err);
}

void station_answer(struct station *s, const struct value *q)
{
	auto_value struct value *reply = value_map();
	struct value *answer = value_map(), *error;
	struct vbm_error err = {0};

	if (answer_question(s, q, answer, &err) == 0) {
		value_set(reply, "answer", answer);
	} else {
		error = value_map();
		value_set_int(error, "code", err.code);
		value_set_string(error, "text", err.msg);
		value_set(reply, "error", error);
		value_free(answer);
	}
	station_say_value(s, reply);
}
