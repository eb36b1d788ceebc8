/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"
#include "net/netns.h"

/*
 * A sweep replays the journals that no process holds, from the last line to the first.
 * Then it removes everything that has a name or mark of Verbatim and belongs to no living
 * run.
 */
#define NETNS_EXIT_MS 5000
#define NETNS_EXIT_STEP_MS 20
#define WORD_SHOWN_MAX 56	/* longer words are bytes for the kernel */

struct sweep {
	struct netlink *nl;	/* owned */
	bool dry_run;
	bool machines;		/* only journals of runs with --hosts */
	void (*report)(const char *line, void *arg);
	void *arg;
	char dir[256];		/* of the journals */
	bool told[FABRIC_RUN_MAX + 1];	/* dry run: the journal lists everything of the run */
	int removed;
	int failed;
	struct vbm_error first;		/* the first failure */
};

static void report_action(struct sweep *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void report_action(struct sweep *s, const char *fmt, ...)
{
	char line[640];
	va_list ap;

	if (!s->report)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	s->report(line, s->arg);
}

static void note_failure(struct sweep *s, const struct vbm_error *err)
{
	report_action(s, "left: %s", err->msg);
	if (s->failed++ == 0)
		s->first = *err;
}

static void name_entry(char *const *words, int count, char line[200])
{
	size_t n = 0;
	int i;

	line[0] = '\0';
	for (i = 0; i < count && n < 200; i++)
		if (strlen(words[i]) < WORD_SHOWN_MAX)
			n += (size_t)snprintf(line + n, 200 - n, "%s%s", i ? " " : "", words[i]);
}

/* Undo the journal's lines, from the last to the first. */
static void replay(struct sweep *s, const struct journal_text *text)
{
	const struct undo_ops ops = {undo_kinds, s->nl};
	struct vbm_error err;
	char line[200];
	size_t i;

	for (i = text->count; i > 0 && text->same_boot; i--) {
		const struct journal_entry *e = &text->entries[i - 1];

		name_entry(e->words, e->count, line);
		report_action(s, "%s run %04x: %s", s->dry_run ? "would undo" : "undo", text->run, line);
		if (s->dry_run)
			s->removed++;
		else if (undo_one(&ops, text->run, e->words, e->count, &err) < 0)
			note_failure(s, &err);
		else
			s->removed++;
	}
}

static void count_devices(const struct rdma_dev *dev, void *arg)
{
	int *run_and_count = arg;

	run_and_count[1] += fabric_run_of_rdma(dev->name) == run_and_count[0];
}

/*
 * When a namespace has ended, the kernel removes its devices in the background. Kernels up
 * to 7.2 count references wrongly when a process removes a device at that moment. So the
 * sweep waits until the devices are gone. It asks again and again, because the kernel
 * announces nothing.
 */
static void let_namespaces_go(struct sweep *s, unsigned run)
{
	int64_t deadline_ns = clock_deadline_ms(NETNS_EXIT_MS);
	int run_and_count[2];

	do {
		run_and_count[0] = (int)run;
		run_and_count[1] = 0;
		if (netlink_rdma_each(s->nl, count_devices, run_and_count, NULL) < 0 ||
		    run_and_count[1] == 0)
			return;
	} while (poll(NULL, 0, NETNS_EXIT_STEP_MS) == 0 && clock_left_ms(deadline_ns) > 0);
}

static const struct journal_entry *find_entry(const struct journal_text *text, const char *kind)
{
	size_t i;

	for (i = 0; i < text->count; i++)
		if (!strcmp(text->entries[i].words[0], kind))
			return &text->entries[i];
	return NULL;
}

/* An interface can be put back in its own namespace only. */
static bool is_ours(const struct sweep *s, const struct journal_text *text)
{
	const struct journal_entry *place = text->same_boot ? find_entry(text, "place") : NULL;
	char here[NETNS_NAME_MAX];

	netns_name(here);
	if (place && place->count > 1 && strcmp(place->words[1], here) != 0)
		return false;
	return place || !s->machines;
}

static void sweep_journal(struct sweep *s, const char *name)
{
	struct journal_text text;
	auto_close int fd = -1;
	struct vbm_error err;
	int failed = s->failed;
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	if (journal_lock(path, false, &fd, &err) < 0)
		return;
	if (journal_read(fd, &text, &err) < 0) {
		if (s->machines)
			return;
		report_action(s, "%s %s: %s", s->dry_run ? "would remove" : "remove", path, err.msg);
	} else if (!is_ours(s, &text)) {
		journal_text_fini(&text);
		return;
	} else {
		if (!s->dry_run && text.same_boot && find_entry(&text, "namespaces"))
			let_namespaces_go(s, text.run);
		replay(s, &text);
		s->told[text.run & FABRIC_RUN_MAX] = s->dry_run;
		journal_text_fini(&text);
	}
	if (!s->dry_run && s->failed == failed)
		unlink(path);
}

static int sweep_journals(struct sweep *s, struct vbm_error *err)
{
	auto_dir DIR *d = NULL;
	struct dirent *entry;
	int ret;

	ret = journal_dir(s->dir, err);
	if (ret < 0)
		return ret;
	d = opendir(s->dir);
	if (!d)
		return vbm_fail(err, errno, "cannot list %s: %s", s->dir, strerror(errno));
	while ((entry = readdir(d)))
		if (journal_run_of_name(entry->d_name) >= 0)
			sweep_journal(s, entry->d_name);
	return 0;
}

/* Collect first and remove later, because a list must not change while it is read. */
struct sweep_found {
	struct sweep *sweep;
	char (*names)[64];	/* owned */
	size_t name_count;
	struct rule *rules;	/* owned */
	size_t rule_count;
	bool local[2];		/* a rule leads to table "local": [family is IPv6] */
};

static void found_fini(struct sweep_found *f)
{
	free(f->names);
	free(f->rules);
}

static void keep_name(struct sweep_found *f, int run, const char *name)
{
	if (run < 0 || f->sweep->told[run])
		return;
	GROW(f->names, f->name_count);
	snprintf(f->names[f->name_count++], 64, "%s", name);
}

static void keep_link(const struct link *link, void *arg)
{
	keep_name(arg, fabric_run_of_netdev(link->name), link->name);
}

/*
 * Whether the device's interface is in this namespace. The kernel also shows devices of
 * other namespaces, and these end with their namespace.
 */
static bool is_here(struct sweep *s, const char *dev)
{
	char netdev[64], *p;
	struct link link;

	snprintf(netdev, sizeof(netdev), "%s", dev);
	for (p = netdev; *p; p++)
		if (*p == '_')
			*p = '-';
	return netlink_link_get(s->nl, netdev, &link, NULL) == 0;
}

static void keep_rdma(const struct rdma_dev *dev, void *arg)
{
	keep_name(arg, fabric_run_of_rdma(dev->name), dev->name);
}

static void keep_rule(const struct rule *rule, void *arg)
{
	struct sweep_found *f = arg;
	int run = fabric_run_of_table(rule->table);

	if (rule->proto != NETLINK_PROTO) {
		if (rule->table == RT_TABLE_LOCAL && !rule->iif[0])
			f->local[rule->family == AF_INET6] = true;
		return;
	}
	if (run < 0 && rule->iif[0])
		run = fabric_run_of_netdev(rule->iif);
	if (run >= 0 && f->sweep->told[run])
		return;
	GROW(f->rules, f->rule_count);
	f->rules[f->rule_count++] = *rule;
}

static void remove_name(struct sweep *s, const char *what, int run, const char *name,
			int (*del)(struct netlink *, const char *, struct vbm_error *))
{
	struct vbm_error err;
	int ret = 0;

	/*
	 * This check comes after the thing was seen. A run makes its marks of life before
	 * it makes anything, so a living run is never taken for a dead one.
	 */
	if (journal_alive(s->dir, run))
		return;
	report_action(s, "%s %s %s", s->dry_run ? "would remove" : "remove", what, name);
	if (!s->dry_run)
		ret = del(s->nl, name, &err);
	if (ret < 0 && ret != -ENODEV)
		note_failure(s, &err);
	else if (ret == 0)
		s->removed++;
}

static int sweep_devices(struct sweep *s, struct vbm_error *err)
{
	struct sweep_found f = {.sweep = s};
	size_t i;
	int ret;

	/* A kernel without RDMA has no devices to sweep. */
	ret = netlink_rdma_each(s->nl, keep_rdma, &f, err);
	if (ret == -EPROTONOSUPPORT)
		ret = 0;
	for (i = 0; i < f.name_count; i++)
		if (is_here(s, f.names[i]))
			remove_name(s, "RDMA device", fabric_run_of_rdma(f.names[i]), f.names[i],
				    netlink_rdma_del);
	f.name_count = 0;
	if (ret == 0)
		ret = netlink_link_each(s->nl, keep_link, &f, err);
	for (i = 0; i < f.name_count; i++)
		remove_name(s, "interface", fabric_run_of_netdev(f.names[i]), f.names[i], netlink_link_del);
	found_fini(&f);
	return ret;
}

static void restore_local(struct sweep *s, int family)
{
	struct rule rule = rule_default_local(family);
	struct vbm_error err;

	report_action(s, "%s the IPv%d rule 'lookup local'", s->dry_run ? "would restore" : "restore",
		      family == AF_INET ? 4 : 6);
	if (!s->dry_run && netlink_rule_add(s->nl, &rule, &err) < 0)
		note_failure(s, &err);
	else
		s->removed++;
}

static void remove_rule(struct sweep *s, const struct rule *rule)
{
	struct vbm_error err;

	report_action(s, "%s an IPv%d rule at preference %u", s->dry_run ? "would remove" : "remove",
		      rule->family == AF_INET ? 4 : 6, rule->pref);
	if (!s->dry_run && netlink_rule_del(s->nl, rule, &err) < 0)
		note_failure(s, &err);
	else
		s->removed++;
}

/* Several runs can use one rule, so rules stay while any run lives. */
static int sweep_rules(struct sweep *s, struct vbm_error *err)
{
	static const int families[] = {AF_INET, AF_INET6};
	struct sweep_found f = {.sweep = s};
	bool ours[2] = {false};
	size_t i;
	int ret;

	ret = netlink_rule_each(s->nl, keep_rule, &f, err);
	if (ret < 0 || f.rule_count == 0 || journal_alive(s->dir, -1)) {
		found_fini(&f);
		return ret;
	}
	for (i = 0; i < f.rule_count; i++)
		ours[f.rules[i].family == AF_INET6] = true;
	/* Restore first, because without this rule nobody can reach the machine. */
	for (i = 0; i < ARRAY_SIZE(families); i++)
		if (ours[i] && !f.local[i])
			restore_local(s, families[i]);
	for (i = 0; i < f.rule_count; i++)
		remove_rule(s, &f.rules[i]);
	found_fini(&f);
	return 0;
}

static int run_sweep(struct sweep *s, struct vbm_error *err)
{
	int ret = netlink_open(&s->nl, -1, err) ?:
		  sweep_journals(s, err);

	if (ret == 0 && !s->machines)
		ret = sweep_devices(s, err);
	if (ret == 0 && !s->machines)
		ret = sweep_rules(s, err);
	if (ret == 0)
		ret = s->failed ? vbm_fail(err, s->first.code, "%s", s->first.msg) : s->removed;
	netlink_close(s->nl);
	free(s);
	return ret;
}

static struct sweep *sweep_new(bool dry_run, void (*report)(const char *line, void *arg), void *arg)
{
	struct sweep *s = xcalloc(1, sizeof(*s));

	s->dry_run = dry_run;
	s->report = report;
	s->arg = arg;
	return s;
}

int fabric_sweep(bool dry_run, void (*report)(const char *line, void *arg), void *arg, struct vbm_error *err)
{
	return run_sweep(sweep_new(dry_run, report, arg), err);
}

int fabric_sweep_machine(void (*report)(const char *line, void *arg), void *arg, struct vbm_error *err)
{
	struct sweep *s = sweep_new(false, report, arg);

	s->machines = true;
	return run_sweep(s, err);
}
