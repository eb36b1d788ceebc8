/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/options.h"
#include "base/value.h"
#include "base/visible.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "doctor/doctor.h"
#include "doctor/machines.h"
#include "guest/uml.h"
#include "fabric/fabric.h"
#include "machines/hosts-file.h"

struct doctor_options {
	bool json, sweep, dry_run, no_try;
	const char *hosts;
	struct option_args args;
};

static const struct option_line lines[] = {
	{"json", 0, NULL, "Print the results as JSON", OPT_FLAG(struct doctor_options, json)},
	{"no-try", 0, NULL, "Only look; make no fabric and boot no kernel", OPT_FLAG(struct doctor_options, no_try)},
	{"hosts", 0, "FILE", "Only ask the machines of this hosts file what a run would find there", OPT_TEXT(struct doctor_options, hosts)},
	{"sweep", 0, NULL, "Only remove things that killed runs left behind",
	 OPT_FLAG(struct doctor_options, sweep)},
	{"dry-run", 0, NULL, "With --sweep: only name the things to remove", OPT_FLAG(struct doctor_options, dry_run)},
	{NULL},
};

static void check(void *arguments, struct argp_state *state)
{
	const struct doctor_options *o = arguments;

	if (o->args.count)
		argp_error(state, "doctor takes no arguments");
	if (o->dry_run && !o->sweep)
		argp_error(state, "--dry-run needs --sweep");
	if (o->hosts && (o->sweep || o->no_try))
		argp_error(state, "%s is about this machine, and --hosts asks others", o->sweep ? "--sweep" : "--no-try");
}

static const struct options options = {
	.table = {{lines, 0}},
	OPTIONS_ARGS(struct doctor_options, args),
	.check = check,
	.doc = "Say which lanes work on this machine, why the others do not, and which command "
	       "would change that.\vThe command makes a small fabric and boots kernels if "
	       "possible, because only a try shows that a lane works. The exit status is 0 if at "
	       "least one lane works, else 3; with --sweep it is 0 if nothing is left, else 1; with --hosts it "
	       "is 0 if a run on these machines would begin, else 3.",
};

static void print_line(const char *line, void *arg)
{
	auto_free char *shown = visible_line(line);

	(void)arg;
	puts(shown);
}

static int sweep_leftovers(bool dry_run)
{
	struct vbm_error err;
	int count, folders;

	count = fabric_sweep(dry_run, print_line, NULL, &err);
	if (count < 0)
		return cmd_fail(&err, EXIT_FAILED);
	folders = uml_folders_sweep(dry_run);
	if (folders)
		printf("%s %d folder%s of user-mode kernels\n", dry_run ? "would remove" : "removed",
		       folders, folders == 1 ? "" : "s");
	if (count == 0 && folders == 0)
		puts("nothing is left of killed runs");
	return EXIT_OK;
}

static int ask_machines(const struct doctor_options *o)
{
	auto_value struct value *machines = NULL, *report = NULL;
	struct vbm_error err = {0};
	struct visible shown;

	if (machines_read(o->hosts, &machines, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	if (doctor_machines(machines, &report, &err) < 0)
		return cmd_fail(&err, EXIT_FAILED);
	if (o->json) {
		cmd_print_json(value_dup(report));
	} else {
		doctor_show_machines(visible_begin(&shown, stdout), report);
		visible_end(&shown);
	}
	return value_get_bool(report, "works", false) ? EXIT_OK : EXIT_NO_FABRIC;
}

static int doctor_run(int argc, char **argv)
{
	struct doctor_options o = {0};
	auto_free struct doctor_finding *findings = NULL;
	struct doctor doctor = {0};
	auto_free char *text = NULL;
	struct visible shown;
	unsigned lane;

	options_parse(&options, argc, argv, &o);
	if (o.sweep)
		return sweep_leftovers(o.dry_run);
	if (o.hosts)
		return ask_machines(&o);
	doctor.try_out = !o.no_try;
	findings = doctor_examine(&doctor);
	if (o.json) {
		text = doctor_json(doctor_checks, findings);
		puts(text);
	} else {
		doctor_show(visible_begin(&shown, stdout), doctor_checks, findings);
		visible_end(&shown);
	}
	for (lane = DOCTOR_NATIVE; lane & DOCTOR_ALL; lane <<= 1)
		if (doctor_lane_works(doctor_checks, findings, lane))
			return EXIT_OK;
	return EXIT_NO_FABRIC;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.doc = "say what works on this machine, and what would fix the rest",
	.run = doctor_run,
	.options = &options,
};
