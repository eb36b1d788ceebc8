/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_BENCH_H
#define VBM_TESTS_BENCH_H

/* The program cannot go on. It prints its name, @what and the text of errno. */
_Noreturn void die(const char *what);

/* On a clock that nobody sets. */
double seconds(void);

/* Run @serve(@server) in a thread and @dial(@client) in this one. Returns the seconds until both have ended. */
double race(void *(*serve)(void *), void *server, void *(*dial)(void *), void *client);

#endif
