/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/table.h"

#include <stddef.h>

const struct explanation explain_verdict[] = {
	{"PASS", "All that the scenario expects held.", "A target that does what its page says.",
	 NULL},
	{"FAIL", "Something that the scenario expects did not hold.",
	 "The target, or a scenario that expects too much.",
	 "The report's file and line, what was expected and what came; then the clause "
	 "(verbatim explain CLAUSE)."},
	{"XFAIL", "It failed in the way that a known deviation says.",
	 "An entry in scenarios/deviations that applies to this target and place.", NULL},
	{"XPASS", "It passed although a known deviation says that it fails.",
	 "The target was corrected, or the entry's conditions are too wide.",
	 "Take the entry out, or narrow its 'when:'."},
	{"SKIP", "It did not run: something that it requires is missing here.",
	 "A kernel, layout or target without a capability of 'requires:'.",
	 "The reason in the report. Skipped is not passed: verbatim coverage --from counts it "
	 "as missing."},
	{"INVALID", "The harness could not observe what it had to, so there is no judgement.",
	 "A runner that died, or an event stream that was cut or garbled.",
	 "The console and kernel messages (--output DIR)."},
	{"ERROR", "The code under test crashed or hung, or the kernel complained.",
	 "A segmentation fault, a deadline that passed, a warning or oops of the kernel.",
	 "log-HOST.txt and kernel.txt of the scenario's folder (--output DIR)."},
	{NULL},
};
