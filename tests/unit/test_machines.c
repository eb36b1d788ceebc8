/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: machines/hosts-file.c machine-line/start.c run/machines-choice.c worker/lane-choice.c machines/found.c machines/machine-fabric.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "machine-line/machine-line-priv.h"
#include "fabric/fabric.h"
#include "machines/machine-fabric.h"
#include "machines/found.h"
#include "machines/hosts-file.h"
#include "plan/plan.h"
#include "run/machines-choice.h"
#include "../help/descriptors.h"
#include "../help/folder.h"
#include "diag-help.h"

/* Each file has this one mistake, and the message its line and column. */
TEST(test_machines__mistakes_have_their_place)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{"[1]\n", "m:1:1: error: a hosts file is a map of machines, such as 'a: {ssh: root@lab1}'"},
		{"{}\n", "m:1:1: error: the file names no machine"},
		{"a: 1\n", "m:1:4: error: a machine is a map"},
		{"a: {ssh: x}\nc: {ssh: y}\n", "m:2:1: error: machines are called a, b, c and so on, in this order: this one is 'b', not 'c'"},
		{"a: {}\n", "m:1:1: error: machine a needs 'ssh:'"},
		{"a: {local: no}\n", "m:1:1: error: machine a needs 'ssh:'"},
		{"a: {local: yes, ssh: x}\n", "m:1:1: error: machine a is either this one ('local: yes') or one that ssh reaches"},
		{"a: {local: perhaps}\n", "m:1:12: error: 'local' is yes or no"},
		{"a: {ssh: x, sudo: 1}\n", "m:1:19: error: 'sudo' is yes or no"},
		{"a: {ssh: x, devcie: y}\n", "m:1:13: error: unknown key 'devcie' (did you mean 'device'?)"},
		{"a: {ssh: -oProxyCommand=x}\n", "m:1:10: error: 'ssh' is what ssh connects to, such as root@lab1, and options belong to 'command'"},
		{"a: {ssh: 'x y'}\n", "m:1:10: error: 'ssh' must be one word"},
		{"a: {ssh: ''}\n", "m:1:10: error: 'ssh' must be a text, not empty"},
		{"a: {ssh: [x]}\n", "m:1:10: error: 'ssh' must be a text, not list"},
		{"a: {ssh: x, command: \"ssh\\nx\"}\n", "m:1:22: error: 'command' must be one word"},
		{"a: {ssh: x, address: 10.0.0}\n", "m:1:22: error: an address is one such as 192.0.2.1 or fd00:1::1"},
		{"a: {ssh: x, address: 10.0.0.1/24}\n", "m:1:22: error: an address is one such as"},
		{"a: {kernel: 7.3}\n", "m:1:1: error: there must be 2 kernels, of machines a and b, not 1"},
		{"a: {kernel: 7.3}\nb: {ssh: x}\n", "m:2:1: error: machine a is a kernel that the run starts, so machine b must be one, too"},
		{"a: {ssh: x}\nb: {kernel: 7.3}\n", "m:2:1: error: machine b is a kernel that the run starts, so machine a must be one, too"},
		{"a: {kernel: 7.3, sudo: no}\nb: {kernel: 7.3}\n", "m:1:1: error: machine a is a kernel that the run starts, so 'kernel' is its only key"},
		{"a: {kernel: [7.3]}\nb: {kernel: 7.3}\n", "m:1:13: error: 'kernel' must be a text, not list"},
		{"a: {kernel: 7 3}\nb: {kernel: 7.3}\n", "m:1:13: error: 'kernel' must be one word"},
		{"a: {kernel: 7.3}\nb: {kernel: 7.3}\nc: {kernel: 7.3}\n", "m:1:1: error: there must be 2 kernels, of"},
		{"a: {ssh: x, interface: y, script: yes}\n", "m:1:1: error: machine a always has an RDMA device"},
		{"a: {ssh: x}\nb: {ssh: x, script: yes}\n", "m:2:1: error: with 'script: yes' machine b needs 'interface:'"},
		{"a: {ssh: x}\nb: {ssh: x, script: yes, interface: y, device: z}\n", "m:2:1: error: with 'script: yes' machine b has no RDMA device"},
		{"a: {ssh: x, address: [10.0.0.1, 10.0.0.2]}\n", "m:1:33: error: the machine has an IPv4 address already"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct diagnostics diag = {0};
		struct value *list = NULL;
		auto_free char *said = NULL;

		assert_int_equal(machines_parse(rows[i].text, strlen(rows[i].text), &list, &diag), -EINVAL);
		assert_null(list);
		said = diagnostics_format(&diag, "m");
		if (strncmp(said, rows[i].said, strlen(rows[i].said)) != 0)
			fail_msg("of '%s' it says '%s', not '%s'", rows[i].text, said, rows[i].said);
		diagnostics_fini(&diag);
	}
}

TEST(test_machines__a_file_is_read)
{
	static const char text[] = "a:\n  ssh: root@lab1\n  device: mlx5_0\n  sudo: yes\n  address: [fd00::1, 10.1.0.1]\n"
				   "b: {local: yes, interface: eth1, address: 10.1.0.2}\n";
	struct diagnostics diag = {0};
	auto_value struct value *list = NULL;
	auto_free char *shown = NULL;

	assert_int_equal(machines_parse(text, strlen(text), &list, &diag), 0);
	shown = value_show(list);
	assert_string_equal(shown, "[{name: \"a\", ssh: \"root@lab1\", device: \"mlx5_0\", sudo: true, ip6: \"fd00::1\", "
			    "ip4: \"10.1.0.1\"}, {name: \"b\", local: true, interface: \"eth1\", ip4: \"10.1.0.2\"}]");
	diagnostics_fini(&diag);
}

static const char *const *variables;

static const char *get(const char *name)
{
	const char *const *v;

	for (v = variables; *v; v += 2)
		if (!strcmp(v[0], name))
			return v[1];
	return NULL;
}

TEST(test_machines__variables_of_the_selftests)
{
	static const struct {
		const char *set[16], *said;	/* a part of the error, or the whole list */
	} rows[] = {
		{{NULL}, "NETIF is not set"},
		{{"NETIF", "eth0", NULL}, "REMOTE_TYPE is not set"},
		{{"NETIF", "eth0", "REMOTE_TYPE", "ssh", NULL}, "REMOTE_ARGS is not set"},
		{{"NETIF", "eth0", "REMOTE_TYPE", "pigeon", "REMOTE_ARGS", "x", NULL}, "REMOTE_TYPE is ssh or netns, not 'pigeon'"},
		{{"NETIF", "eth0", "REMOTE_TYPE", "netns", "REMOTE_ARGS", "x;reboot", NULL}, "REMOTE_ARGS is one word"},
		{{"NETIF", "eth0", "REMOTE_TYPE", "ssh", "REMOTE_ARGS", "-ox", NULL}, "REMOTE_ARGS is one word"},
		{{"NETIF", "eth0", "LOCAL_V4", "10.0.0.1", "REMOTE_V4", "10.0.0.2", "REMOTE_TYPE", "ssh", "REMOTE_ARGS", "root@lab2", NULL},
		 "[{name: \"a\", local: true, interface: \"eth0\", ip4: \"10.0.0.1\"}, {name: \"b\", ip4: \"10.0.0.2\", ssh: \"root@lab2\"}]"},
		{{"NETIF", "eth0", "REMOTE_V6", "fd00::2", "REMOTE_TYPE", "netns", "REMOTE_ARGS", "there", NULL},
		 "[{name: \"a\", local: true, interface: \"eth0\"}, {name: \"b\", ip6: \"fd00::2\", command: \"ip netns exec there sh -c\"}]"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_value struct value *list = NULL;
		auto_free char *shown = NULL;
		struct vbm_error err = {0};

		variables = rows[i].set;
		if (machines_from_variables(get, &list, &err) == 0)
			shown = value_show(list);
		if (!strstr(shown ? shown : err.msg, rows[i].said))
			fail_msg("row %zu: %s", i, shown ? shown : err.msg);
	}
}

/* The words that ssh gets, and a command that is no ssh. */
TEST(test_machines__the_command)
{
	static const struct {
		const char *key[2], *value[2], *words;
	} rows[] = {
		{{"ssh"}, {"root@lab1"}, "sh -c exec ssh \"$@\" sh -T -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 "
		 "-o ServerAliveCountMax=3 -- root@lab1 SCRIPT"},
		{{"command"}, {"ip netns exec x sh -c"}, "sh -c exec ip netns exec x sh -c \"$@\" sh SCRIPT"},
		{{"local"}, {"yes"}, "sh -c exec sh -c \"$@\" sh SCRIPT"},
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_value struct value *m = value_map();
		auto_free char *words = xstrdup("");
		char **argv, **word;

		for (k = 0; k < 2 && rows[i].key[k]; k++)
			value_set_string(m, rows[i].key[k], rows[i].value[k]);
		argv = machine_line_command(m, "SCRIPT");
		for (word = argv; *word; word++) {
			char *longer = xasprintf("%s%s%s", words, *words ? " " : "", *word);

			free(words);
			words = longer;
			free(*word);
		}
		free(argv);
		assert_string_equal(words, rows[i].words);
	}
}

/* Any shell has to read it as one command: no newline, and no ' inside. */
TEST(test_machines__the_script)
{
	auto_value struct value *m = value_map();
	auto_free char *script = NULL;
	char *quote;

	value_set_bool(m, "sudo", true);
	script = machine_line_script(m, &(struct machine_line_program){"0123abcd", 77});
	assert_null(strchr(script, '\n'));
	quote = strchr(script, '\'');
	assert_non_null(quote);
	quote = strchr(quote + 1, '\'');
	assert_non_null(quote);
	assert_string_equal(quote, "'");
	assert_non_null(strstr(script, "programs; p=$d/0123abcd;"));
	assert_non_null(strstr(script, "head -c 77 "));
	assert_non_null(strstr(script, "exec sudo -n \"$p\" --station \"$SSH_CONNECTION\""));
}

TEST(test_machines__hints)
{
	assert_non_null(strstr(machine_line_hint("Host key verification failed."), "ssh-keygen -R"));
	assert_non_null(strstr(machine_line_hint("sudo: a password is required"), "NOPASSWD"));
	assert_null(machine_line_hint("anything else"));
}

/* Options about what Verbatim makes itself. */
TEST(test_machines__options_without_sense)
{
	static const struct {
		struct run_options opts;
		const char *said;
	} rows[] = {
		{{.choice = {.lane = "uml", .layout = "auto"}}, "--lane cannot be combined with --hosts"},
		{{.choice = {.lane = "auto", .layout = "netns"}}, "--layout cannot be combined"},
		{{.choice = {.lane = "auto", .layout = "auto", .kernel = "6.1"}}, "--kernel cannot be combined"},
		{{.choice = {.lane = "auto", .layout = "auto", .cables = 1}}, "--loss, --delay or --rate cannot be combined"},
		{{.choice = LANE_CHOICE_DEFAULT, .jobs = 2}, "--jobs cannot be combined"},
		{{.choice = LANE_CHOICE_DEFAULT, .over = "x.so"}, "--over cannot be combined"},
		{{.choice = LANE_CHOICE_DEFAULT, .target = "/tmp"}, "--target takes a name, not '/tmp'"},
		{{.choice = LANE_CHOICE_DEFAULT, .hosts = "/nowhere/x.hosts"}, "/nowhere/x.hosts: No such file"},
	};
	auto_free char *lab = NULL;
	struct folder folder;
	size_t i;

	folder_make(&folder);
	folder_put(&folder, "lab.hosts", "a: {ssh: x}\n");
	lab = folder_path(&folder, "lab.hosts");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct run_options opts = rows[i].opts;
		struct machines_choice chosen = {0};
		struct lane_options lane = {0};
		struct vbm_error err = {0};

		opts.hosts = opts.hosts ? opts.hosts : lab;
		opts.target = opts.target ? opts.target : "system";
		assert_true(machines_choose(&chosen, &opts, &lane, &err) < 0);
		value_free(chosen.list);
		if (!strstr(err.msg, rows[i].said))
			fail_msg("row %zu: %s", i, err.msg);
	}
	folder_remove(&folder);
}

/* Words on the command line and a file name kernels in the same way. */
TEST(test_machines__kernels)
{
	static const struct {
		const char *kernel, *file;	/* NULL: none */
		struct lane_choice choice;
		const char *a, *b;	/* "-": the default */
		const char *said;	/* NULL: they are taken */
	} rows[] = {
		{"a=6.12,b=7.3", NULL, LANE_CHOICE_DEFAULT, "6.12", "7.3", NULL},
		{"b=7.3", NULL, LANE_CHOICE_DEFAULT, "-", "7.3", NULL},
		{NULL, "a: {kernel: 6.12}\nb: {kernel: 7}\n", LANE_CHOICE_DEFAULT, "6.12", "7", NULL},
		{"a=7.3", NULL, {.lane = "uml", .layout = "shared"}, "7.3", "-", "--layout cannot be used when each host has"},
		{"a=7.3", NULL, {.lane = "uml", .layout = "auto", .cables = 1}, "7.3", "-", "--rate cannot be used when each host"},
		{"7.3", "a: {kernel: 6.12}\nb: {kernel: 7.3}\n", LANE_CHOICE_DEFAULT, "6.12", "7.3", "--kernel cannot be used when each"},
		{"a=7.3,a=7.3", NULL, LANE_CHOICE_DEFAULT, NULL, NULL, "at character 7: host a has a kernel already"},
	};
	struct folder folder;
	size_t i;

	folder_make(&folder);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct run_options opts = {.choice = rows[i].choice, .target = "system"};
		auto_free char *path = folder_path(&folder, "k.hosts");
		struct lane_options lane = {.kernel = rows[i].kernel};
		struct machines_choice chosen = {0};
		struct vbm_error err = {0};

		opts.choice.kernel = rows[i].kernel;
		if (rows[i].file)
			folder_put(&folder, "k.hosts", rows[i].file);
		opts.hosts = rows[i].file ? path : NULL;
		machines_choose(&chosen, &opts, &lane, &err);
		if (!strstr(err.msg, rows[i].said ? rows[i].said : "") || (!rows[i].said && err.code))
			fail_msg("row %zu: %s", i, err.msg);
		assert_false(lane.machines);
		if (rows[i].a) {
			assert_null(lane.kernel);
			assert_string_equal(lane.kernels[0] ? lane.kernels[0] : "-", rows[i].a);
			assert_string_equal(lane.kernels[1] ? lane.kernels[1] : "-", rows[i].b);
		}
		value_free(chosen.list);
	}
	folder_remove(&folder);
}

/* The needs of two variants, and the kernels that a plan of them wants; NULL: none for all. */
TEST(test_machines__kernels_of_a_plan)
{
	static const struct {
		const char *first, *second, *kernels;
	} rows[] = {
		{"[\"kernel_a=6.12\", \"kernel_b=7.3\"]", "[\"kernel_a=6.12\", \"can=ud\", \"kernel_b=7.3\"]", "a=6.12,b=7.3"},
		{"[\"lane=uml\", \"kernel_b=7.3\"]", "[\"kernel_b=7.3\"]", "b=7.3"},
		{"[\"kernel_a=6.12\"]", "[\"kernel_a=6.1\"]", NULL},
		{"[\"kernel_a=6.12\"]", "[]", NULL},
		{"[]", "[\"kernel_a=6.12\"]", NULL},
		{"[]", "[]", NULL},
		{"[\"kernel_a>=6.12\", \"kernel=7.3\"]", "[\"kernel_a>=6.12\"]", NULL},
	};
	const struct plan none = {0};
	size_t i;

	assert_null(plan_kernels(&none));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_value struct value *first = must_read_json(rows[i].first), *second = must_read_json(rows[i].second);
		struct variant v[] = {{.needs = first}, {.needs = second}};
		const struct plan plan = {v, ARRAY_SIZE(v)};
		auto_free char *kernels = plan_kernels(&plan);

		assert_string_equal(kernels ? kernels : "-", rows[i].kernels ? rows[i].kernels : "-");
	}
}

/* A fabric that found no device, or no machine, closes what it has opened and nothing else. */
TEST(test_machines__without_a_device__leave_the_descriptors)
{
	auto_value struct value *wanted = must_read_json("{\"name\": \"a\", \"device\": \"none\"}");
	auto_value struct value *machines = must_read_json("[{\"name\": \"a\", \"command\": \"false\"}]");
	int before = open_descriptors();
	struct fabric *fabric = NULL;
	struct vbm_error err;

	assert_true(found_fabric(&fabric, &(struct found_options){.wanted = wanted}, &err) < 0);
	assert_int_equal(open_descriptors(), before);
	assert_true(machines_fabric(&fabric, &(struct machines_options){.machines = machines, .factor = 1}, &err) < 0);
	assert_int_equal(open_descriptors(), before);
}
