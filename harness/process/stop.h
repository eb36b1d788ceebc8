/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_STOP_H
#define VBM_PROCESS_STOP_H

#include <poll.h>
#include <signal.h>

/*
 * poll(2), which a signal ends: -1 with EINTR once its handler has set *@stop, also
 * when that was just before the wait. A NULL @stop: as poll(2).
 */
int poll_or_stop(struct pollfd *p, nfds_t n, int ms, const volatile sig_atomic_t *stop);

#endif
