/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "call/program-ready.h"
#include "call/step-util.h"
#include "program/host-env.h"
#include "program/program.h"

/* Programs of the machine and of the suite, on the agent's host. */

#define DEADLINE_RUN_MS 30000
#define DEADLINE_READY_MS 15000

#define VARIANT "VERBATIM_VARIANT"	/* the agent has it: agent/agent.h */

/* A limit for each output in a result. In JSON a byte may become six. */
#define SHOWN_MAX 65536
#define LINE_SHOWN_MAX 4096

struct program_object {
	struct object o;
	struct program *program;	/* owned */
	char *called;			/* owned; for messages */
};

static void discard(struct object *o)
{
	struct program_object *p = (struct program_object *)o;

	program_free(p->program);
	free(p->called);
}

static void free_environment(char ***envp)
{
	host_env_free(*envp);
}
#define auto_environment __attribute__((cleanup(free_environment)))

static void set_variable(char ***envp, size_t *count, const char *text)
{
	size_t i, n = strcspn(text, "=") + 1;

	for (i = 0; i < *count && strncmp((*envp)[i], text, n) != 0; i++)
		;
	if (i < *count) {
		free((*envp)[i]);
	} else {
		*envp = xreallocarray(*envp, *count + 2, sizeof(**envp));
		(*envp)[++*count] = NULL;
	}
	(*envp)[i] = xstrdup(text);
}

/* The environment of the host's programs, with the variables of the step. */
static int make_environment(const struct step_ctx *ctx, const struct value *args, char ***out,
			    struct vbm_error *err)
{
	const struct value *more = value_get(args, "env");
	const char *variant = getenv(VARIANT);
	size_t i, count = 0;
	char **e;

	*out = xcalloc(1, sizeof(**out));
	for (e = ctx->programs->envp; *e; e++)
		set_variable(out, &count, *e);
	if (variant) {
		auto_free char *text = xasprintf("%s=%s", VARIANT, variant);

		set_variable(out, &count, text);
	}
	for (i = 0; more && i < more->list.count; i++) {
		const char *text = more->list.item[i]->s;

		if (!strchr(text, '=') || *text == '=')
			return vbm_fail(err, EINVAL, "env: '%s' is not of the form NAME=VALUE", text);
		set_variable(out, &count, text);
	}
	return 0;
}

/* The words of the command. @args owns the texts. */
static const char **words_of(const struct value *args)
{
	const struct value *argv = value_get(args, "argv");
	size_t i, n = argv ? argv->list.count : 3;
	const char **words = xcalloc(n + 1, sizeof(*words));

	if (!argv) {
		words[0] = "/bin/sh";
		words[1] = "-c";
		words[2] = value_get_string(args, "command", "");
	}
	for (i = 0; argv && i < n; i++)
		words[i] = argv->list.item[i]->s;
	return words;
}

static int launch(struct step_ctx *ctx, const struct value *args, struct program **out,
		  struct vbm_error *err)
{
	auto_free const char **words = words_of(args);
	auto_environment char **envp = NULL;
	const char *cwd = value_get_string(args, "cwd", "/");
	int ret;

	if (!ctx->programs)
		return vbm_fail(err, ENOSYS, "this process cannot start programs");
	if (!words[0])
		return vbm_fail(err, EINVAL, "argv: the list has no program");
	ret = make_environment(ctx, args, &envp, err);
	if (ret == 0)
		ret = program_look(words[0], cwd, envp, err);
	if (ret < 0)
		return ret;
	return program_start(out, &(struct program_setup){
		.home = ctx->programs,
		.name = ctx->as ? ctx->as : "run",
		.argv = words,
		.envp = envp,
		.cwd = cwd,
		.input = value_get_string(args, "input", NULL),
		.log_fd = STDERR_FILENO,
	}, err);
}

/* "./server", or the first word of the command. */
static const char *called(const struct value *args)
{
	const struct value *argv = value_get(args, "argv");

	return argv ? argv->list.item[0]->s : value_get_string(args, "command", "");
}

static int compile(regex_t *regex, const char *key, const char *pattern, struct vbm_error *err)
{
	char why[128];
	int rc = regcomp(regex, pattern, REG_EXTENDED);

	if (!rc)
		return 0;
	regerror(rc, regex, why, sizeof(why));
	return vbm_fail(err, EINVAL, "%s: '%s' is not a regular expression: %s", key, pattern, why);
}

static char *visible(const char *s)
{
	struct text t = {0};

	text_add(&t, "");
	text_add_visible(&t, s);
	if (t.len > LINE_SHOWN_MAX)
		t.s[LINE_SHOWN_MAX] = '\0';
	return t.s;
}

/* Adds the text in either output that "find" matched. */
static void put_found(const struct program *p, const regex_t *regex, struct value *result)
{
	auto_free char *line = NULL, *match = NULL, *shown_line = NULL, *shown = NULL;
	unsigned long long number;
	bool found = false;
	char *end;
	int i;

	for (i = 0; i < COLLECT_COUNT && !found; i++) {
		auto_text struct text text = {0};

		program_read(p, i, &text);
		found = program_line(&text, regex, &line, &match);
	}
	value_set_bool(result, "found", found);
	if (!found)
		return;
	shown_line = visible(line);
	shown = visible(match);
	value_set_string(result, "line", shown_line);
	value_set_string(result, "match", shown);
	errno = 0;
	number = strtoull(match, &end, 10);
	if (!errno && end != match && *match >= '0' && *match <= '9')
		value_set_int(result, "number", (int64_t)number);
}

static void put_output(const struct program *p, struct value *result)
{
	static const char *const names[] = {"stdout", "stderr"};
	uint64_t left_out = 0, lost;
	int i;

	for (i = 0; i < COLLECT_COUNT; i++) {
		auto_text struct text text = {0};

		lost = program_read(p, i, &text);
		value_set(result, names[i],
			  value_string_take(program_shown(&text, lost, SHOWN_MAX, &left_out)));
	}
	if (left_out)
		value_set_int(result, "left_out", (int64_t)left_out);
}

static void put_status(const struct program *p, struct value *result, const char *field,
		       int forgiven)
{
	int status = program_status(p), sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	value_set_int(result, field,
		      sig && sig == forgiven ? 0 : sig ? 128 + sig : WEXITSTATUS(status));
	if (sig)
		value_set(result, "signal", sigabbrev_np(sig) ? value_string(sigabbrev_np(sig)) :
						value_format_string("%d", sig));
}

static void put_end(const struct program *p, struct value *result, int forgiven)
{
	put_status(p, result, "return", forgiven);
}

/* Adds the fields of a program to the result; -EINVAL when "find" is not a regular expression. */
static int put_program(const struct program *p, const struct value *args, struct value *result,
		       struct vbm_error *err)
{
	const char *find = value_get_string(args, "find", NULL);
	regex_t regex;

	put_output(p, result);
	if (!find)
		return 0;
	if (compile(&regex, "find", find, err) < 0)
		return -err->code;
	put_found(p, &regex, result);
	regfree(&regex);
	return 0;
}

/* The wait for @what of the program @name ran out. The last line of its output may say why. */
static int program_wait_failed(struct step_ctx *ctx, const struct program *p, const char *what,
		   const char *name, struct vbm_error *err)
{
	auto_free char *owed = xasprintf("%s '%.80s'", what, name), *text = NULL, *said = NULL;
	auto_text struct text all = {0};
	uint64_t ignored = 0, lost;
	const char *nl;

	step_wait_failed(ctx, err, owed);
	lost = program_read(p, COLLECT_OUT, &all);
	if (!all.len)
		return -ETIMEDOUT;
	text = program_shown(&all, lost, SHOWN_MAX, &ignored);
	nl = strrchr(text, '\n');
	said = xstrdup(err->msg);
	return vbm_fail(err, ETIMEDOUT, "%s; the last line of its output: %.160s", said,
			nl ? nl + 1 : text);
}

STEP(run_run)
{
	struct program *p = NULL;
	int ret = launch(ctx, args, &p, err);

	if (ret < 0)
		return ret;
	ret = program_wait(p, ctx->deadline_ns);
	if (ret == 0) {
		put_end(p, result, 0);
		ret = put_program(p, args, result, err);
	} else {
		ret = program_wait_failed(ctx, p, "end of", called(args), err);
	}
	program_free(p);
	return ret;
}

static int await_ready(struct step_ctx *ctx, const struct value *args, struct program *p,
		       struct value *result, struct vbm_error *err)
{
	struct program_ready ready = {
		.host = ctx->host,
		.home = ctx->programs,
		.program = p,
		.command = value_get_string(args, "ready", NULL),
		.cwd = value_get_string(args, "cwd", "/"),
		.deadline_ns = ctx->deadline_ns,
	};
	const char *pattern = value_get_string(args, "ready_line", NULL);
	regex_t regex;
	int ret;

	if (pattern && compile(&regex, "ready_line", pattern, err) < 0)
		return -err->code;
	ready.line = pattern ? &regex : NULL;
	ret = program_await_ready(&ready, err);
	if (pattern && ret > 0)
		put_found(p, &regex, result);
	if (pattern)
		regfree(&regex);
	return ret;
}

STEP(run_start)
{
	struct program_object *p;
	struct program *program = NULL;
	int ret = launch(ctx, args, &program, err);

	if (ret < 0)
		return ret;
	p = xcalloc(1, sizeof(*p));
	p->program = program;
	p->called = xstrdup(called(args));
	p->o.discard = discard;
	step_keep_object(ctx, &p->o, OBJECT_PROGRAM);
	ret = await_ready(ctx, args, program, result, err);
	if (ret == -ETIMEDOUT)
		return program_wait_failed(ctx, program, "sign of readiness of", p->called, err);
	if (ret < 0)
		return ret;
	value_set_int(result, "return", 0);
	if (ret == 0) {
		put_end(program, result, 0);
		if (value_get_int(result, "return", 0) == 0)
			value_set_int(result, "return", -1);
	}
	put_output(program, result);
	return 0;
}

static struct program_object *arg_program(struct step_ctx *ctx, const struct value *args,
					  struct vbm_error *err)
{
	return (struct program_object *)arg_object(ctx, args, "program", OBJECT_PROGRAM, err);
}

static int end_of(struct step_ctx *ctx, const struct program_object *p, const struct value *args,
		  int forgiven, struct value *result, struct vbm_error *err)
{
	if (program_wait(p->program, ctx->deadline_ns) < 0)
		return program_wait_failed(ctx, p->program, "end of", p->called, err);
	put_end(p->program, result, forgiven);
	return put_program(p->program, args, result, err);
}

STEP(run_wait)
{
	const struct program_object *p = arg_program(ctx, args, err);

	return p ? end_of(ctx, p, args, 0, result, err) : -err->code;
}

STEP(run_stop)
{
	const struct program_object *p = arg_program(ctx, args, err);
	int sig = (int)value_get_int(args, "signal", SIGTERM);

	if (!p)
		return -err->code;
	program_signal(p->program, sig);
	return end_of(ctx, p, args, sig, result, err);
}

STEP(run_read)
{
	const struct program_object *p = arg_program(ctx, args, err);
	bool running;

	if (!p)
		return -err->code;
	running = program_runs(p->program);
	value_set_int(result, "return", 0);
	value_set_bool(result, "running", running);
	if (!running)
		put_status(p->program, result, "status", 0);
	return put_program(p->program, args, result, err);
}

#define P_START                                                                             \
	{.name = "argv", .type = PARAM_TEXTS, .form = TEXT_SOME,                            \
	 .doc = "the program and its arguments; it is searched in PATH, or with ./ beside the file of this step"}, \
	{.name = "command", .type = PARAM_STRING, .form = TEXT_SOME, .doc = "a command for sh(1), instead of argv"}, \
	{.name = "env", .type = PARAM_TEXTS,                                                \
	 .doc = "additional variables of its environment, each NAME=VALUE"},                   \
	P_STRING("cwd", "its current folder, relative to the folder of the file of this step; default: that folder"), \
	P_STRING("input", "its standard input; default: empty")
#define P_FIND                                                                              \
	{.name = "find", .type = PARAM_STRING, .form = TEXT_REGEX,                          \
	 .doc = "extended regular expression to find in the lines of both outputs"}
#define P_PROGRAM P_OBJECT("program", OBJECT_PROGRAM, "the program; default: the host's only one")
#define F_SIGNAL                                                                            \
	F_STRING("signal", "the signal that ended it, for example SEGV; absent when it exited")
#define F_OUTPUT                                                                            \
	F_STRING("stdout", "its standard output, without newlines at the end; of more than 64 KiB the middle is left out"), \
	F_STRING("stderr", "its standard error, in the same form"),                               \
	F_INT("left_out", "how many bytes of both were left out; absent when it is 0")
#define F_FOUND                                                                             \
	F_BOOL("found", "whether a line matches; absent without an expression"),                \
	F_STRING("line", "the first line that matches; absent if there is none"),         \
	F_STRING("match", "the part of that line that the expression matches, or its first group"),  \
	F_INT("number", "the number at the start of match; absent if there is none")

static const char *const program_or_command[] = {"argv", "command", NULL};

static const struct param run_params[] = {P_START, P_FIND, {NULL}};
static const struct param start_params[] = {
	P_START,
	{.name = "ready_line", .type = PARAM_STRING, .form = TEXT_REGEX,
	 .doc = "the program is ready when a line of its output matches this extended regular expression"},
	{.name = "ready", .type = PARAM_STRING, .form = TEXT_SOME,
	 .doc = "the program is ready when this command succeeds; default: when it listens, or has nothing to do"},
	P_BOOL("may_fail", "true allows the program to end with a signal or with a status other than 0; default false"),
	{NULL},
};
static const struct param program_params[] = {P_PROGRAM, P_FIND, {NULL}};
static const struct param stop_params[] = {
	P_PROGRAM,
	P_INT("signal", 1, 64, "number of the signal; default 15, SIGTERM"),
	P_FIND,
	{NULL},
};

static const struct field end_fields[] = {
	F_INT("return", "its exit status; 128 + N after signal N"),
	F_SIGNAL, F_OUTPUT, F_FOUND, F_ELAPSED,
	{NULL},
};
static const struct field start_fields[] = {
	F_INT("return", "0 when it is ready; when it has ended: its exit status, 128 + N after signal N, or -1 instead of 0"),
	F_SIGNAL, F_OUTPUT, F_FOUND, F_ELAPSED,
	{NULL},
};
static const struct field stop_fields[] = {
	F_INT("return", "0 when it ended with that signal or with status 0; else its exit status or 128 + N"),
	F_SIGNAL, F_OUTPUT, F_FOUND, F_ELAPSED,
	{NULL},
};
static const struct field read_fields[] = {
	F_INT("return", "always 0"),
	F_BOOL("running", "whether it still runs"),
	F_INT("status", "its exit status, 128 + N after signal N; absent while it runs"),
	F_SIGNAL, F_OUTPUT, F_FOUND,
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "run", .call = "execvp(3)",
	 .doc = "Run a program on the host and wait for its end; it is killed at the deadline.",
	 .params = run_params, .one_of = program_or_command, .fields = end_fields, .waits = true,
	 .deadline_ms = DEADLINE_RUN_MS, .starts_program = true, .run = run_run},
	{.name = "start", .call = "execvp(3)",
	 .doc = "Start a program on the host and wait until it is ready. It is killed at the end of the "
			"scenario and must not fail before.",
	 .params = start_params, .one_of = program_or_command, .fields = start_fields,
	 .makes = OBJECT_PROGRAM, .waits = true, .deadline_ms = DEADLINE_READY_MS,
	 .starts_program = true, .run = run_start},
	{.name = "wait_program", .call = "waitpid(2)",
	 .doc = "Wait until a started program ends.", .params = program_params,
	 .fields = end_fields, .waits = true, .deadline_ms = DEADLINE_RUN_MS, .run = run_wait},
	{.name = "stop_program", .call = "kill(2)",
	 .doc = "Send a signal to a started program, and wait until it ends.", .params = stop_params,
	 .fields = stop_fields, .waits = true, .run = run_stop},
	{.name = "read_program", .call = "read(2)",
	 .doc = "Read the output of a started program so far.",
	 .params = program_params, .fields = read_fields, .query = true, .run = run_read},
	{NULL},
};

const struct step_family family_program = {
	"program", "Programs of the suite and of the machine.", steps
};
