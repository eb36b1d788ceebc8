/* SPDX-License-Identifier: BSD-2-Clause */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/mutants/mutant.h"

/* The object is opened for itself alone, so the program's own libraries come first. */
void *mutant_next(const char *symbol)
{
	void *next = dlsym(RTLD_DEFAULT, symbol);

	if (!next) {
		fprintf(stderr, "mutants: nobody has %s\n", symbol);
		abort();
	}
	return next;
}
