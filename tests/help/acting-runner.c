/* SPDX-License-Identifier: BSD-2-Clause */
#include "acting-runner.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/stream.h"

char *acting_fifo;

struct runner {
	struct child_place *place;
	struct value *variant;	/* the variant that runs, borrowed */
	struct value *next;	/* the next line, if it was read already */
};

static void add_variant(struct value *event, const struct value *variant)
{
	value_set_int(event, "variant", value_get_int(variant, "number", -1));
	value_set_string(event, "name", value_get_string(variant, "name", "?"));
}

/* Read the next line of the front end. */
static struct value *next_line_for(struct child_place *p)
{
	const char *line;
	size_t len;

	if (line_read(&p->in, &line, &len, -1) != 1 || !stream_key_fits(p->emit.key, &line, &len))
		_exit(1);
	return json_read(line, len, NULL);
}

static void begin_scenario(struct runner *r)
{
	struct value *e = emit_new(&r->place->emit, "scenario");

	add_variant(e, r->variant);
	value_set_string(e, "id", "x");
	value_set_string(e, "title", "");
	value_set_string(e, "path", "x.yaml");
	value_set(e, "clauses", value_list());
	emit_take(&r->place->emit, e);
}

static void give_verdict(const struct runner *r, const char *verdict, const char *reason)
{
	struct value *e = emit_new(&r->place->emit, "verdict");

	add_variant(e, r->variant);
	value_set_string(e, "verdict", verdict);
	value_set(e, "reason", reason ? value_string(reason) : value_null());
	value_set_int(e, "took_ms", 1);
	value_set_int(e, "own_us", 1);
	emit_take(&r->place->emit, e);
}

static void complain_as_kernel(struct runner *r)
{
	struct value *e = emit_new(&r->place->emit, "kernel");

	value_set_int(e, "level", 1);
	value_set_string(e, "text", ACTING_OOPS);
	value_set_bool(e, "bad", true);
	value_set(e, "name", value_null());
	emit_take(&r->place->emit, e);
}

static void print(const struct runner *r, const char *line)
{
	if (write(r->place->console, line, strlen(line)) < 0 || write(r->place->console, "\n", 1) < 0)
		abort();
}

static void do_pass(struct runner *r)
{
	give_verdict(r, "PASS", NULL);
}

static void do_die(struct runner *r)
{
	(void)r;
	raise(SIGKILL);
}

static void do_panic(struct runner *r)
{
	print(r, ACTING_OOPS);
	print(r, ACTING_PANIC);
	raise(SIGKILL);
}

static void do_oops(struct runner *r)
{
	print(r, ACTING_OOPS);
	raise(SIGKILL);
}

static void do_lie(struct runner *r)
{
	begin_scenario(r);
}

static void do_garble(struct runner *r)
{
	if (write(r->place->fd, "babble\n", 7) == 7)
		pause();
}

static void do_hang(struct runner *r)
{
	(void)r;
	for (;;)
		pause();
}

/* Report the known failures that the job names. */
static void do_echo(struct runner *r)
{
	const struct value *known = value_get(r->variant, "known");
	auto_free char *text = known ? json_write(known) : xstrdup("nothing is known");
	const char *crashes = value_get_string(r->variant, "crashes", NULL);
	auto_free char *all = xasprintf("%s%s%s", crashes ? crashes : "", crashes ? " " : "", text);

	give_verdict(r, "SKIP", all);
}

/* The verdict is the last event of this runner. */
static void do_leave(struct runner *r)
{
	give_verdict(r, "PASS", NULL);
	raise(SIGKILL);
}

static void do_end(struct runner *r)
{
	give_verdict(r, "PASS", NULL);
	emit_end(&r->place->emit, false);
	_exit(0);
}

static void do_broken(struct runner *r)
{
	complain_as_kernel(r);
	give_verdict(r, "ERROR", "the kernel complained");
	emit_end(&r->place->emit, true);
	_exit(0);
}

/* Write a complaint to the console without an event; the place ends normally. */
static void do_mumble(struct runner *r)
{
	print(r, ACTING_OOPS);
	give_verdict(r, "PASS", NULL);
}

/* The same, with an event. */
static void do_shout(struct runner *r)
{
	print(r, ACTING_OOPS);
	complain_as_kernel(r);
	give_verdict(r, "ERROR", "the kernel complained");
}

/* Passes when another place opens the other end of the fifo. */
static void do_meet(struct runner *r)
{
	const char *name = value_get_string(r->variant, "name", "?");

	if (open(acting_fifo, (name[5] == 'r' ? O_RDONLY : O_WRONLY) | O_CLOEXEC) >= 0)
		do_pass(r);
}

/* One place dies when another one waits; that one passes when the first is dead. */
static void do_fall(struct runner *r)
{
	(void)r;
	if (open(acting_fifo, O_WRONLY | O_CLOEXEC) >= 0)
		raise(SIGKILL);
}

static void do_mourn(struct runner *r)
{
	int fd = open(acting_fifo, O_RDONLY | O_CLOEXEC);
	char byte;

	if (read(fd, &byte, 1) == 0)
		do_pass(r);
}

/* Passes when another variant has arrived. */
static void do_await(struct runner *r)
{
	r->next = next_line_for(r->place);
	do_pass(r);
}

static void do_interrupt(struct runner *r)
{
	kill(getppid(), SIGTERM);
	do_hang(r);
}

static const struct {
	const char *name;
	void (*act)(struct runner *r);
} acts[] = {
	{"pass", do_pass}, {"die", do_die}, {"panic", do_panic}, {"oops", do_oops}, {"lie", do_lie},
	{"garble", do_garble}, {"hang", do_hang}, {"echo", do_echo}, {"leave", do_leave},
	{"end", do_end}, {"broken", do_broken}, {"mumble", do_mumble}, {"shout", do_shout},
	{"interrupt", do_interrupt}, {"meet", do_meet}, {"fall", do_fall},
	{"mourn", do_mourn}, {"await", do_await},
};

void acting_take_job(struct child_place *p)
{
	struct value *job = next_line_for(p);

	p->emit.key = value_get_string(job, KEY_MEMBER, NULL);
}

void acting_runner(struct child_place *p)
{
	struct runner r = {.place = p};
	const char *name;
	size_t i;

	acting_take_job(p);
	for (;;) {
		r.variant = r.next ? r.next : next_line_for(p);
		r.next = NULL;
		if (value_get_bool(r.variant, "end", false))
			break;
		name = value_get_string(r.variant, "name", "?");
		begin_scenario(&r);
		for (i = 0; i < ARRAY_SIZE(acts); i++)
			if (!strncmp(name, acts[i].name, strlen(acts[i].name)))
				acts[i].act(&r);
	}
	emit_end(&p->emit, false);
}
