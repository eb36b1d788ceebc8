/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_TTY_H
#define VBM_SESSION_TTY_H

#include <stdbool.h>
#include <termios.h>

struct value;

/* The user's terminal, while its bytes go to a shell on a host. */
struct tty {
	struct termios saved;
	bool raw;
	int winch_fd;	/* owned: readable when its size has changed; -1: not open */
};

#define TTY_NONE {.winch_fd = -1}

void tty_watch(struct tty *t);		/* watches its size from now on */
void tty_make_raw(struct tty *t);	/* does nothing if standard input is no terminal */
void tty_restore(struct tty *t);	/* undoes both; allowed in any state */

/* Puts its size into @map, as "rows" and "cols"; does nothing if it has none. */
void tty_add_size(struct value *map);

/* Call this when @winch_fd is readable. */
void tty_take_winch(struct tty *t);

#endif
