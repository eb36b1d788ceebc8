/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_WALK_AWAIT_H
#define VBM_JOB_WALK_AWAIT_H

#include <stdbool.h>

#include "job-walk/hosts.h"

/* No event announces the result, so look again soon at first, then less often. */
void walk_pause(const struct walk_host *host, int tries);

/* Takes the next completion of @cq, a queue of @host. False: none came in time. */
bool walk_await_completion(const struct walk_host *host, struct ibv_cq *cq, struct ibv_wc *wc);

/* Asks @cq for an event with the next completion. Returns what the call returned. */
int walk_ask_event(const struct walk_host *host, struct ibv_cq *cq, bool solicited);

/* Whether @cq made an event; @wait: it may still come. */
bool walk_has_event(const struct walk_host *host, const struct ibv_cq *cq, bool wait);

/* Takes asynchronous events of the host's device until one says that @cq is in error. False: none came in time. */
bool walk_await_overflow(const struct walk_hosts *w, int host, const struct ibv_cq *cq);

/*
 * Waits until the pair is in @state, or, if @drained is set, until it is also drained.
 * @at_once: it has to be so now. Returns the state that it was in last, or -1 if the
 * call failed. Fills *@draining.
 */
int walk_await_state(struct walk_hosts *w, int host, int pair, enum ibv_qp_state state, bool drained, bool at_once,
		     bool *draining);

#endif
