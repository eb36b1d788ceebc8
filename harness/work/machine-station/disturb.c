/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/agent-proto.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "machines/found.h"
#include "lib/base/fail.h"
#include "machine-station/station-priv.h"

/* Steps that change this machine: before the first of a scenario its state is kept, and after the scenario it is put back. */

/* No step takes so long. A runner that says nothing until then may hang, or its connection, and nobody else puts the machine back. */
#define SILENCE_MS 180000

static void begin_silence(struct station *s)
{
	vbm_timer_arm(&s->loop, &s->silence, vbm_loop_now() + clock_span_ns(SILENCE_MS));
}

void station_heard(struct station *s)
{
	if (s->silence.next)
		begin_silence(s);
}

static int keep_nothing(struct fabric *fabric, const char *address, struct vbm_error *err)
{
	(void)fabric;
	(void)address;
	(void)err;
	return 0;
}

/* A step of each kind adds this to the state that is kept. */
static int (*const added[])(struct fabric *fabric, const char *address, struct vbm_error *err) = {
	[DISTURBS_SETTINGS] = keep_nothing,
	[DISTURBS_BY_ADDRESS] = keep_added_address,
	[DISTURBS_BY_NEIGHBOUR] = keep_added_neighbour,
	[DISTURBS_DEVICE] = keep_nothing,
};

static int prepare_disturbance(struct station *s, const struct agent_request *req, struct vbm_error *err)
{
	enum step_disturbs what = req->kind->disturbs;
	int ret;

	if (what == DISTURBS_NOTHING)
		return 0;
	if (what == DISTURBS_INTERFACE)
		return vbm_fail(err, EPERM, "the step %s removes an interface, and Verbatim could not restore it", req->kind->name);
	ret = keep_machine(s->fabric, err);
	if (ret == 0)
		ret = added[what](s->fabric, value_get_string(req->args, "address", ""), err);
	if (ret == 0)
		begin_silence(s);
	return ret;
}

bool station_may_pass(struct station *s, int number, const char *line, size_t len)
{
	struct agent_request req;
	struct vbm_error err = {0};
	auto_free char *answer = NULL;
	bool may = true;

	if (!s->may_disturb)
		return true;
	if (agent_decode_request(line, len, &req, &err) == 0 && prepare_disturbance(s, &req, &err) < 0) {
		answer = agent_encode_answer(req.seq, NULL, &err);
		station_say(s, number, answer);
		may = false;
	}
	agent_request_fini(&req);
	return may;
}

static void on_hang(struct timer *t)
{
	OWNER_OF(t, struct station, silence)->gone = true;
}

static void on_signal(struct watch *w, uint32_t events)
{
	(void)events;
	OWNER_OF(w, struct station, signals)->gone = true;
}

void station_begin_changes(struct station *s)
{
	s->silence.fire = on_hang;
	s->may_disturb = true;
	station_catch_signals(s);
}

void station_catch_signals(struct station *s)
{
	sigset_t set;

	if (s->signals.fd >= 0)
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	watch_add(&s->loop, &s->signals, signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, on_signal);
}

int station_put_back(struct station *s, struct vbm_error *err)
{
	vbm_timer_disarm(&s->silence);
	return keep_put_back(s->fabric, err);
}
