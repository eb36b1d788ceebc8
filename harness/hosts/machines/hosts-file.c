/* SPDX-License-Identifier: BSD-2-Clause */
#include "machines/hosts-file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "base/yaml.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "names/host.h"
#include "net/ip.h"

#define MACHINES_FILE_MAX (1 << 20)

/* A value is a text without control characters; it becomes a word of a command or a line of the protocol. */
static bool is_word(const struct value *v, struct diagnostics *diag, const char *what, bool blanks)
{
	const char *c = v->type == VALUE_STRING ? v->s : "";

	if (!*c) {
		diag_add(diag, v->pos, NULL, "'%s' must be a text, not %s", what,
			 v->type == VALUE_STRING ? "empty" : value_type_name(v->type));
		return false;
	}
	for (; *c; c++)
		if (iscntrl((unsigned char)*c) || (!blanks && *c == ' ')) {
			diag_add(diag, v->pos, NULL, "'%s' must be one word", what);
			return false;
		}
	return true;
}

static void take_word(struct value *m, const struct value_member *member, struct diagnostics *diag)
{
	if (is_word(member->value, diag, member->key, false))
		value_set(m, member->key, value_dup(member->value));
}

/* ssh takes a word that begins with "-" for an option. */
static void take_ssh(struct value *m, const struct value_member *member, struct diagnostics *diag)
{
	if (!is_word(member->value, diag, "ssh", false))
		return;
	if (*member->value->s == '-')
		diag_add(diag, member->value->pos, NULL, "'ssh' is what ssh connects to, such as root@lab1, and options "
			 "belong to 'command', as in 'command: ssh %s'", member->value->s);
	else
		value_set(m, "ssh", value_dup(member->value));
}

static void take_command(struct value *m, const struct value_member *member, struct diagnostics *diag)
{
	if (is_word(member->value, diag, "command", true))
		value_set(m, "command", value_dup(member->value));
}

static void take_yes(struct value *m, const struct value_member *member, struct diagnostics *diag)
{
	const struct value *v = member->value;
	bool yes = v->type == VALUE_BOOL ? v->b : v->type == VALUE_STRING && !strcmp(v->s, "yes");

	if (v->type != VALUE_BOOL && !yes && (v->type != VALUE_STRING || strcmp(v->s, "no") != 0))
		diag_add(diag, v->pos, NULL, "'%s' is yes or no", member->key);
	else
		value_set_bool(m, member->key, yes);
}

static void take_address(struct value *m, const struct value *v, struct diagnostics *diag)
{
	struct ip_prefix ip = {0};
	const char *key;

	if (v->type != VALUE_STRING || !ip_parse(v->s, &ip) || strchr(v->s, '/')) {
		diag_add(diag, v->pos, NULL, "an address is one such as 192.0.2.1 or fd00:1::1");
		return;
	}
	key = ip.family == AF_INET6 ? "ip6" : "ip4";
	if (value_get(m, key))
		diag_add(diag, v->pos, NULL, "the machine has an IPv%d address already, and only one of a family is used",
			 ip.family == AF_INET6 ? 6 : 4);
	else
		value_set_string(m, key, v->s);
}

static void take_addresses(struct value *m, const struct value_member *member, struct diagnostics *diag)
{
	const struct value *v = member->value;
	size_t i;

	if (v->type != VALUE_LIST)
		take_address(m, v, diag);
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		take_address(m, v->list.item[i], diag);
}

/* A version such as 7 is a number in YAML. */
static void take_kernel(struct value *m, const struct value_member *member, struct diagnostics *diag)
{
	if (member->value->type == VALUE_INT)
		value_set(m, "kernel", value_format_string("%" PRId64, member->value->i));
	else
		take_word(m, member, diag);
}

static void take_make(struct value *m, const struct value_member *member, struct diagnostics *diag)
{
	const struct value *v = member->value;

	if (v->type != VALUE_STRING || !device_type_find(v->s))
		diag_add(diag, v->pos, NULL, "'make' is the type of an RDMA device in software: rxe or siw");
	else
		value_set(m, "make", value_dup(v));
}

static const struct {
	const char *name;
	void (*take)(struct value *m, const struct value_member *member, struct diagnostics *diag);
} keys[] = {
	{"kernel", take_kernel},
	{"ssh", take_ssh},
	{"local", take_yes},
	{"command", take_command},
	{"sudo", take_yes},
	{"device", take_word},
	{"interface", take_word},
	{"make", take_make},
	{"script", take_yes},
	{"address", take_addresses},
};

static void take_key(struct value *m, const struct value_member *member, struct diagnostics *diag)
{
	struct suggestion s;
	size_t i;

	suggest_init(&s, member->key);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!strcmp(keys[i].name, member->key)) {
			keys[i].take(m, member, diag);
			return;
		}
		suggest_offer(&s, keys[i].name);
	}
	diag_add(diag, member->pos, suggest_hint(suggest_best(&s)), "unknown key '%s'", member->key);
}

/* How the machine is reached; a kernel of lane uml is one that the run starts. */
static void check_way(const struct value *m, const struct value_member *member, const char *name, struct diagnostics *diag)
{
	const struct value *v = member->value;

	if (value_get(v, "kernel") && v->map.count > 1)
		diag_add(diag, member->pos, NULL, "machine %s is a kernel that the run starts, so 'kernel' is its only key", name);
	if (value_get(v, "kernel"))
		return;
	if (!value_get(v, "ssh") && !value_get(v, "command") && !value_get_bool(m, "local", false))
		diag_add(diag, member->pos, NULL, "machine %s needs 'ssh:', the machine to which ssh connects, or 'local: yes' for "
			 "this machine", name);
	if (value_get(v, "make") && !value_get(v, "interface"))
		diag_add(diag, member->pos, NULL, "machine %s: 'make' needs 'interface:', on which the device is made", name);
	if (value_get(v, "ssh") && value_get_bool(m, "local", false))
		diag_add(diag, member->pos, NULL, "machine %s is either this one ('local: yes') or one that ssh reaches", name);
}

/* A machine whose packets the scenario makes: only its interface is used. */
static void check_script(const struct value *m, const struct value_member *member, const char *name, struct diagnostics *diag)
{
	if (!value_get_bool(m, "script", false))
		return;
	if (!strcmp(name, "a"))
		diag_add(diag, member->pos, NULL, "machine a always has an RDMA device, so 'script: yes' is for another one");
	if (value_get(m, "device"))
		diag_add(diag, member->pos, NULL, "with 'script: yes' machine %s has no RDMA device, so it has no 'device:'", name);
	if (!value_get(m, "interface"))
		diag_add(diag, member->pos, NULL, "with 'script: yes' machine %s needs 'interface:', because no device tells it", name);
}

static struct value *take_machine(const struct value_member *member, size_t number, struct diagnostics *diag)
{
	const struct value *v = member->value;
	struct value *m = value_map();
	char name[8];
	size_t i;

	host_name((int)number, name);
	if (strcmp(member->key, name) != 0)
		diag_add(diag, member->pos, NULL, "machines are called a, b, c and so on, in this order: this one is '%s', not '%s'",
			 name, member->key);
	value_set_string(m, "name", name);
	if (v->type != VALUE_MAP) {
		diag_add(diag, v->pos, NULL, "a machine is a map, such as {ssh: root@lab1, device: mlx5_0}");
		return m;
	}
	for (i = 0; i < v->map.count; i++)
		take_key(m, &v->map.member[i], diag);
	check_way(m, member, name, diag);
	check_script(m, member, name, diag);
	return m;
}

/* One wire with two ends connects kernels, and nothing else. */
static void check_kernels(const struct value *root, struct diagnostics *diag)
{
	const struct value_member *m = root->map.member;
	bool first = m[0].value->type == VALUE_MAP && value_get(m[0].value, "kernel"), other;
	size_t i;

	for (i = 1; i < root->map.count; i++) {
		other = m[i].value->type == VALUE_MAP && value_get(m[i].value, "kernel");
		if (m[i].value->type == VALUE_MAP && m[0].value->type == VALUE_MAP && other != first)
			diag_add(diag, m[i].pos, NULL, "machine %s is a kernel that the run starts, so machine %s must be one, too",
				 m[first ? 0 : i].key, m[first ? i : 0].key);
	}
	if (first && root->map.count != MACHINES_KERNELS)
		diag_add(diag, root->pos, NULL, "there must be %d kernels, of machines a and b, not %zu", MACHINES_KERNELS,
			 root->map.count);
}

int machines_parse(const char *text, size_t len, struct value **out, struct diagnostics *diag)
{
	auto_value struct value *root = yaml_read(text, len, diag);
	struct value *list = value_list();
	size_t i;

	*out = NULL;
	if (root && root->type != VALUE_MAP)
		diag_add(diag, root->pos, NULL, "a hosts file is a map of machines, such as 'a: {ssh: root@lab1}'");
	else if (root && root->map.count == 0)
		diag_add(diag, root->pos, NULL, "the file names no machine");
	else if (root && root->map.count > FABRIC_HOSTS_MAX)
		diag_add(diag, root->pos, NULL, "there are more than %d machines", FABRIC_HOSTS_MAX);
	for (i = 0; root && root->type == VALUE_MAP && i < root->map.count && i < FABRIC_HOSTS_MAX; i++)
		value_append(list, take_machine(&root->map.member[i], i, diag));
	if (list->list.count)
		check_kernels(root, diag);
	if (diag->count) {
		value_free(list);
		return -EINVAL;
	}
	*out = list;
	return 0;
}

/* NETIF, LOCAL_V4 and so on: tools/testing/selftests/drivers/net/README.rst of the kernel describes them. */
static void put_variable(struct value *m, const char *key, const char *text)
{
	if (text && *text)
		value_set_string(m, key, text);
}

/* REMOTE_TYPE netns: REMOTE_ARGS is a namespace of this machine; ssh: it is what ssh connects to. */
static int put_remote(struct value *m, const char *type, const char *args, struct vbm_error *err)
{
	if (!type || !args || !*args)
		return vbm_fail(err, EINVAL, "REMOTE_TYPE (ssh or netns) and REMOTE_ARGS name the second machine, and %s is not set",
				type ? "REMOTE_ARGS" : "REMOTE_TYPE");
	if (strpbrk(args, " \t\n'\"\\$`;|&<>()") || *args == '-')
		return vbm_fail(err, EINVAL, "REMOTE_ARGS is one word, a name, not '%s'", args);
	if (!strcmp(type, "ssh")) {
		value_set_string(m, "ssh", args);
		return 0;
	}
	if (strcmp(type, "netns") != 0)
		return vbm_fail(err, EINVAL, "REMOTE_TYPE is ssh or netns, not '%s'", type);
	value_set(m, "command", value_format_string("ip netns exec %s sh -c", args));
	return 0;
}

int machines_from_variables(const char *(*get)(const char *name), struct value **out, struct vbm_error *err)
{
	struct value *a = value_map(), *b = value_map();

	*out = value_list();
	value_append(*out, a);
	value_append(*out, b);
	value_set_string(a, "name", "a");
	value_set_bool(a, "local", true);
	put_variable(a, "interface", get("NETIF"));
	put_variable(a, "ip4", get("LOCAL_V4"));
	put_variable(a, "ip6", get("LOCAL_V6"));
	value_set_string(b, "name", "b");
	put_variable(b, "ip4", get("REMOTE_V4"));
	put_variable(b, "ip6", get("REMOTE_V6"));
	if (!get("NETIF"))
		vbm_fail(err, EINVAL, "--hosts env takes the machines from the variables of the kernel's selftests, and NETIF is not set");
	else if (put_remote(b, get("REMOTE_TYPE"), get("REMOTE_ARGS"), err) == 0)
		return 0;
	value_free(*out);
	*out = NULL;
	return -EINVAL;
}

static const char *variable(const char *name)
{
	return getenv(name);
}

int machines_read_any(const char *path, struct value **out, struct vbm_error *err)
{
	struct diagnostics diag auto_diagnostics = {0};
	auto_free char *text = NULL, *lines = NULL;
	size_t len;

	*out = NULL;
	if (!strcmp(path, "env"))
		return machines_from_variables(variable, out, err);
	if (file_read_max(path, MACHINES_FILE_MAX, &text, &len, err) < 0)
		return -err->code;
	if (machines_parse(text, len, out, &diag) == 0)
		return 0;
	diagnostics_sort(&diag);
	lines = diagnostics_format(&diag, path);
	lines[strcspn(lines, "\n")] = '\0';
	return vbm_fail(err, EINVAL, "%s", lines);
}

bool machines_are_kernels(const struct value *machines)
{
	return machines->list.count && value_get(machines->list.item[0], "kernel");
}

int machines_read(const char *path, struct value **out, struct vbm_error *err)
{
	int ret = machines_read_any(path, out, err);

	if (ret < 0 || !machines_are_kernels(*out))
		return ret;
	value_free(*out);
	*out = NULL;
	return vbm_fail(err, EINVAL, "%s: its machines are kernels, which only verbatim run can start", path);
}
