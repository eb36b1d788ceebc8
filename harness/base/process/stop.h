/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_STOP_H
#define VBM_PROCESS_STOP_H

#include <poll.h>
#include <signal.h>

/*
 * poll(2) that a signal ends: -1 with EINTR when the signal's handler has set *@stop, even
 * if that was just before the wait. With NULL for @stop it is poll(2).
 */
int stop_poll(struct pollfd *p, nfds_t n, int ms, const volatile sig_atomic_t *stop);

#endif
