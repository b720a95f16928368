/* launcher.c -- Run a program as if memusage were not there.
 *
 * The program is a child in memusage's own process group, so the terminal treats both alike. The
 * launcher has no signal handlers: it blocks the signals and fetches them one by one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusage/collector/collector.h"
#include "memusage/collector/left_checks.h"
#include "memusage/common/elfkind.h"
#include "memusage/common/process.h"
#include "memusage/common/program.h"
#include "memusage/common/wire.h"
#include "memusage/launcher/attached_run.h"
#include "memusage/launcher/emulate.h"
#include "memusage/launcher/durable_run.h"
#include "memusage/launcher/inherited_files.h"
#include "memusage/launcher/live_view.h"
#include "memusage/launcher/recording_config.h"
#include "memusage/launcher/serving.h"
#include "memusage/launcher/report_file.h"
#include "memusage/launcher/start.h"
#include "memusage/options/accesses.h"
#include "memusage/report/ended_images.h"
#include "memusage/report/outputs.h"
#include "memusage/report/pictures.h"

struct launcher {
	struct session session;
	struct inherited inherited;
	struct live_view view;
	struct serving serving;
	struct attached_run attached;
	sigset_t taken;
	pid_t collector;	/* 0: has ended */
	pid_t last_collector;	/* the last one, even if it has ended */
	pid_t program;
	int replacements;	/* of collectors that were killed */
	bool has_program_ended;	/* and was waited for */
	int status;		/* of the program, as wait() gives it */
	char name[17];		/* the program's name when it ended, "" unknown */
	struct rusage usage;
};

/* ---- before the program runs ------------------------------------------------------------- */

static void find_program(struct session *s)
{
	const char *name = s->settings->command[0];
	int status = program_find(name, &s->program);

	if (status == 0)
		return;
	if (status == STATUS_NOT_FOUND && !strchr(name, '/'))
		warn("%s: not found in PATH", name);
	else
		warn("cannot run %s: %m", name);
	exit(status);
}

/* The session that die() has to clean up, until there is a collector. */
static struct session *unfinished;

static void clean_up_session(void)
{
	if (!unfinished)
		return;
	endpoint_close(&unfinished->endpoint);
	library_remove(&unfinished->library);
	datafiles_close(&unfinished->files);
	arena_remove(&unfinished->arena);
}

static void create_arena(struct session *s)
{
	const struct mu_config config = recording_config_make(s->settings);
	struct mu_error err;

	if (!(s->settings->durable && durable_run_create(s, &config)) &&
	    arena_create(&s->arena, &config, &err) < 0)
		die("cannot create the shared memory for the recording: %s", err.text);
	memcpy(s->arena.shared->watch, s->settings->triggers.watch,
	       sizeof(s->settings->triggers.watch));
}

/* These may take long, or wait for the reader of a FIFO: a signal ends memusage meanwhile. */
static void prepare_session(struct session *s, const struct settings *settings)
{
	*s = (struct session){
		.settings = settings,
		.endpoint = { .abstract_fd = -1, .path_fd = -1 },
		.arena = { .fd = -1 },
		.files = { .fd = -1 },
		.report = -1,
		.text = -1,
		.judged = -1,
		.wire = -1,
		.ended_images = ended_images_open(),
		.left_check = { -1, -1, -1 },
	};
	unfinished = s;
	atexit(clean_up_session);
	if (settings->attach)
		s->program = attached_run_program(settings->attach);
	else
		find_program(s);
	outputs_check(settings, s->program);
	datafiles_open(&s->files, settings);
	if (settings->durable)
		durable_run_prepare(settings);
	recordfile_check(&s->record, settings);
	report_file_open(s);
	if (settings->attach)
		left_checks_open(s);
	else
		create_arena(s);
}

/* These make directories: from here on, signals wait for the program. */
static void open_for_program(struct session *s)
{
	const struct settings *settings = s->settings;
	struct mu_error err;

	library_find(&s->library, settings->attach ? ATTACHED_LIBRARY :
				  accesses_library(&settings->accesses, s->program));
	if (endpoint_open(&s->endpoint, &err) < 0)
		die("cannot create the socket for the recording: %s", err.text);
}

/* A bound, so that a collector that is always killed is not replaced forever. */
enum { REPLACEMENTS = 3 };

/* Returns false with errno, and without any change, if a process cannot be created. */
static bool fork_collector(struct launcher *l)
{
	struct session *s = &l->session;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	pid = fork();
	if (pid < 0) {
		int error = errno;

		close(pair[0]);
		close(pair[1]);
		errno = error;
		return false;
	}
	if (pid == 0) {
		close(pair[0]);
		if (s->wire >= 0)
			close(s->wire);
		serving_forget(&l->serving);
		inherited_files_close();
		s->wire = pair[1];
		collector_run(s);
		_exit(0);
	}
	close(pair[1]);
	if (s->wire >= 0)
		close(s->wire);
	s->wire = pair[0];
	l->collector = l->last_collector = pid;
	unfinished = NULL;
	return true;
}

/* The launcher keeps the collector's memory, sockets and files open until the collector ends
 * normally: if it is killed, another one continues with them. */
static void release_collector_files(struct session *s)
{
	arena_close(&s->arena);
	endpoint_forget(&s->endpoint);
	if (s->report >= 0)
		close(s->report);
	if (s->text >= 0)
		close(s->text);
}

/* ---- the program ------------------------------------------------------------------------- */

static void tell_collector(struct launcher *l, enum wire_kind kind)
{
	/* Only the kernel knows how a process that is not our child ended. */
	if (l->attached.attachment)
		kind = kind == WIRE_STARTED ? WIRE_ATTACHED : WIRE_LEFT;
	struct wire message = { .kind = kind, .pid = l->program, .status = l->status,
				.usage = l->usage };

	if (kind == WIRE_ENDED)
		strcpy(message.data, l->name);
	wire_send(l->session.wire, &message);
}

static bool is_emulated(const struct session *s)
{
	return s->settings->accesses.engine == ACCESSES_EMULATE;
}

/* A collector that SIGTERM ended has written everything and is not replaced. Nothing may end the
 * launcher before the program ends, so a failure here is only reported. */
static void replace_collector(struct launcher *l, int status)
{
	struct session *s = &l->session;

	if (!WIFSIGNALED(status) || l->replacements == REPLACEMENTS) {
		release_collector_files(s);
		l->collector = 0;
		return;
	}
	l->replacements++;
	s->killed = l->collector;
	s->killed_by = WTERMSIG(status);
	if (!fork_collector(l)) {
		warn("the collector (process %d) was killed and cannot be replaced: %m; there will "
		     "be no report",
		     (int)l->collector);
		release_collector_files(s);
		l->collector = 0;
		return;
	}
	if (l->program > 0)
		tell_collector(l, WIRE_STARTED);
}

/* The program's file itself exists. The collector has nothing to report, so it is killed. */
static void exit_not_started(struct launcher *l, int error)
{
	const char *program = l->session.program;
	char interpreter[PATH_MAX];

	elfkind_of(program, interpreter, sizeof(interpreter));
	if (error == ENOENT && interpreter[0] && access(interpreter, F_OK) < 0)
		warn("cannot run %s: its interpreter %s does not exist", program, interpreter);
	else
		warn("cannot run %s: %s", program, strerror(error));
	kill(l->collector, SIGKILL);
	waitpid(l->collector, NULL, 0);
	unfinished = &l->session;
	exit(error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
}

/* Watches the process that the recorder has been put into. */
static void watch_process(struct launcher *l)
{
	struct session *s = &l->session;

	l->program = l->attached.attachment->pid;
	tell_collector(l, WIRE_STARTED);
	live_view_start(&l->view, s->settings, l->program, &l->inherited.mask, s->wire);
	serving_start(&l->serving, s->settings, l->program, l->collector, &l->inherited.mask,
		      s->wire);
}

/* The loader of another C library would not run the program at all with a recorder that it
 * finds. */
static const char *preload_for(const struct library *library, const char *program)
{
	char interpreter[PATH_MAX];

	if (!library->is_for_all &&
	    elfkind_of(program, interpreter, sizeof(interpreter)) == ELF_OTHER_LIBC)
		return NULL;
	return library->preload;
}

static void start_command(struct launcher *l)
{
	struct session *s = &l->session;
	char *collector = xasprintf("1:%s:%s", s->endpoint.name, s->endpoint.path);
	struct emulation e = {
		.emulator = s->program, .argv = s->settings->command,
		.counts_instructions = s->settings->massif.time == MASSIF_TIME_I,
	};
	int error;

	if (is_emulated(s))
		emulate_prepare(&e, s->program, s->settings->command, s->library.path, collector);
	else
		e.envp = start_environment(preload_for(&s->library, s->program), collector, NULL);
	live_view_redirect(&l->view);
	l->program = start_program(e.emulator, e.argv, e.envp, &l->inherited);
	error = errno;
	live_view_restore(&l->view);
	if (l->program < 0)
		exit_not_started(l, error);
	inherited_files_close();
	durable_run_started(s, l->program);
	tell_collector(l, WIRE_STARTED);
	live_view_start(&l->view, s->settings, l->program, &l->inherited.mask, s->wire);
	serving_start(&l->serving, s->settings, l->program, l->collector, &l->inherited.mask,
		      s->wire);
}

/* To the parent that the program would have without us. */
static void send_to_parent(const siginfo_t *info)
{
	const pid_t parent = getppid();

	if (parent > 1 && info->si_code == SI_QUEUE)
		sigqueue(parent, info->si_signo, info->si_value);
	else if (parent > 1)
		kill(parent, info->si_signo);
}

/* The kernel and the terminal have sent their signals to the program, too. */
static void forward_signal(const struct launcher *l, const siginfo_t *info)
{
	if (info->si_code > 0)
		return;
	if (info->si_pid == l->program) {
		send_to_parent(info);
		return;
	}
	/* Its ID may be another process's by now. If we are PID 1, its orphans are left. */
	if (l->has_program_ended) {
		process_signal_children_but(l->collector, l->serving.pid, info->si_signo);
		return;
	}
	if (info->si_code == SI_QUEUE)
		sigqueue(l->program, info->si_signo, info->si_value);
	else
		kill(l->program, info->si_signo);
}

/* The shell watches memusage, not the program: when the program alone was stopped by the terminal,
 * memusage stops, too, so that the shell continues. Any other SIGSTOP concerns the program only. */
static void stop_by_signal(int signal)
{
	int terminal;

	if (signal == SIGSTOP) {
		terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (terminal < 0)
			return;
		if (tcgetpgrp(terminal) != getpgrp())
			signal = 0;
		close(terminal);
	}
	if (signal != 0)
		raise(signal);
}

/* The kernel keeps the name of a process until its parent has waited for it. */
static void note_program_name(struct launcher *l)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)l->program, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    info.si_pid == l->program)
		process_name(l->program, l->name);
}

/* As PID 1 the launcher also gets the children of others. Returns whether all processes that it
 * waits for have ended. */
static bool reap_children(struct launcher *l)
{
	struct rusage usage;
	int status;
	pid_t pid;

	note_program_name(l);
	while ((pid = wait4(-1, &status, WNOHANG | WUNTRACED, &usage)) > 0) {
		if (pid == l->collector && !WIFSTOPPED(status))
			replace_collector(l, status);
		if (!WIFSTOPPED(status)) {
			live_view_ended(&l->view, l->session.settings, pid);
			serving_ended(&l->serving, pid, status);
		}
		if (pid != l->program || l->has_program_ended)
			continue;
		if (WIFSTOPPED(status)) {
			/* The view has the terminal, and shows that the program is stopped. */
			if (l->view.pid == 0 || WSTOPSIG(status) != SIGSTOP)
				stop_by_signal(WSTOPSIG(status));
			continue;
		}
		l->status = status;
		l->usage = usage;
		l->has_program_ended = true;
	}
	/* When PID 1 ends, the kernel kills all remaining processes. */
	if (l->has_program_ended && getpid() == 1)
		return process_signal_children_but(l->collector, l->serving.pid, 0) == 0;
	return l->has_program_ended;
}

/* Output that was kept for a live view grows without a signal. */
static int await_signal(struct launcher *l, siginfo_t *info)
{
	const struct timespec soon = { .tv_nsec = 50000000 };

	return live_view_follow(&l->view) ? sigtimedwait(&l->taken, info, &soon) :
					    sigwaitinfo(&l->taken, info);
}

static void wait_for_program(struct launcher *l)
{
	siginfo_t info;

	while (!reap_children(l)) {
		if (await_signal(l, &info) < 0)
			continue;
		if (info.si_signo != SIGCHLD || info.si_code <= 0)
			forward_signal(l, &info);
	}
}

static void wait_for_process(struct launcher *l)
{
	do
		reap_children(l);
	while (!attached_run_take_signal(&l->taken) &&
	       !attached_run_is_over(&l->attached, l->collector ? l->session.wire : -1));
	l->status = attached_run_leave(&l->attached, &l->session);
}

/* From now on a key ends memusage itself, in case writing its files takes long. The signals that
 * killed the program are discarded first. */
static void restore_signals(const struct launcher *l)
{
	const struct timespec now = { 0, 0 };
	sigset_t mask = l->inherited.mask;

	while (sigtimedwait(&l->taken, NULL, &now) > 0)
		;
	sigaddset(&mask, SIGPIPE);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* ---- afterwards -------------------------------------------------------------------------- */

/* A second core file would overwrite the program's. */
static void die_by_signal(int signal)
{
	const struct rlimit none = { 0, 0 };
	struct sigaction normal = { .sa_handler = SIG_DFL };
	sigset_t only;

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	sigaction(signal, &normal, NULL);
	sigemptyset(&only);
	sigaddset(&only, signal);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	raise(signal);
}

static void warn_no_report(struct session *s, int collector)
{
	warn("the collector has died: there is no report, and output files may be incomplete; the "
	     "program was not affected. Find out what killed process %d (the kernel log shows "
	     "whether memory ran out), and run the program again",
	     collector);
	endpoint_close(&s->endpoint);
	library_remove(&s->library);
}

/* Returns whether a collector has reported. If one is killed meanwhile, its replacement is
 * asked. */
static bool await_report(struct launcher *l, struct wire *done)
{
	for (;;) {
		int status;

		tell_collector(l, WIRE_ENDED);
		int received;

		do
			received = wire_receive(l->session.wire, done);
		while (received == 1 && done->kind != WIRE_DONE);
		if (received == 1)
			return true;
		if (l->collector == 0 || waitpid(l->collector, &status, 0) < 0)
			return false;
		replace_collector(l, status);
	}
}

/* As with Valgrind, --error-exitcode is for errors that the program does not know of; a program
 * that failed has something more important to say than that it took too much memory. */
static int exit_status(const struct launcher *l, int found)
{
	const unsigned int error_status = l->session.settings->leak_check.error_status;

	if (error_status && (found & WIRE_LEAK_ERRORS))
		return (int)error_status;
	if (WEXITSTATUS(l->status) != 0)
		return WEXITSTATUS(l->status);
	if (found & WIRE_BROKEN)
		return STATUS_BROKEN;
	return found & WIRE_NOT_JUDGED ? STATUS_FAILED : 0;
}

static int finish_launch(struct launcher *l)
{
	struct wire done = { .status = 0 };

	live_view_finish(&l->view);
	restore_signals(l);
	if (!await_report(l, &done)) {
		warn_no_report(&l->session, (int)l->last_collector);
		done.status = gate_wanted(&l->session.settings->gate) ? WIRE_NOT_JUDGED : 0;
	}
	if (l->session.settings->png && done.has_data)
		pictures_draw(l->session.settings, done.data, l->session.files.fd);
	/* A leak checker reads everything that is mapped when a program ends, and would allocate
	 * tens of gigabytes of pages. */
	arena_close(&l->session.arena);
	if (l->attached.attachment)
		return exit_status(l, done.status);
	if (WIFSIGNALED(l->status)) {
		if (is_emulated(&l->session))
			emulate_explain(WTERMSIG(l->status));
		die_by_signal(WTERMSIG(l->status));
		return 128 + WTERMSIG(l->status);
	}
	return exit_status(l, done.status);
}

/* Begins last: a failure before leaves the process alone. */
static int record_process(struct launcher *l)
{
	struct session *s = &l->session;
	const struct mu_config config = recording_config_make(s->settings);

	attached_run_begin(&l->attached, s, &config);
	if (!fork_collector(l)) {
		attached_run_leave(&l->attached, s);
		die("cannot create a process: %m");
	}
	watch_process(l);
	wait_for_process(l);
	return finish_launch(l);
}

int launcher_run(const struct settings *settings)
{
	static struct launcher l;

	start_survive_limit(&l.inherited);
	live_view_prepare(&l.view, settings);
	prepare_session(&l.session, settings);
	serving_prepare(&l.serving, settings, l.session.record.fd);
	start_prepare(&l.inherited, &l.taken);
	open_for_program(&l.session);
	if (settings->attach)
		return record_process(&l);
	if (!fork_collector(&l))
		die("cannot create a process: %m");
	start_command(&l);
	wait_for_program(&l);
	return finish_launch(&l);
}
