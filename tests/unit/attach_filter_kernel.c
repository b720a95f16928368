/* attach_filter_kernel.c -- random seccomp filters are judged as the kernel judges them: a call that
 * is said to be allowed is, whatever its unknown arguments are; and if all arguments are known, one
 * that is said to be forbidden is, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/random.h"
#include "tests/lib/tap.h"

enum { FILTERS = 3000, BODY_MOST = 24, PRELUDE = 3, ARGUMENTS = 6, CELLS_USED = 4 };
enum { CALL_ALLOWED, CALL_FORBIDDEN, FILTER_REFUSED };

#if defined(__x86_64__)

struct filter {
	struct sock_filter code[PRELUDE + BODY_MOST + 1];
	unsigned short count;
	bool depends_on_place; /* of the call: it is never known */
};

static unsigned int below(unsigned int bound)
{
	return (unsigned int)(next_random() % bound);
}

/* Values that meet: those of arguments, and limits. */
static uint32_t some_value(void)
{
	static const uint32_t value[] = { 0, 1, 2, 7, 31, 0x80000000, UINT32_MAX, SYS_getppid,
					  AUDIT_ARCH_X86_64, SECCOMP_RET_ALLOW, SECCOMP_RET_LOG,
					  SECCOMP_RET_ERRNO | 1, SECCOMP_RET_KILL_PROCESS };

	return value[below(sizeof(value) / sizeof(*value))];
}

static struct sock_filter load_word(struct filter *f)
{
	const unsigned int word = below(16);

	f->depends_on_place |= word == 2 || word == 3;
	return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, word * 4);
}

static struct sock_filter calculate(void)
{
	static const uint16_t operation[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_AND,
					      BPF_OR, BPF_XOR, BPF_LSH, BPF_RSH, BPF_NEG };
	const uint16_t chosen = operation[below(sizeof(operation) / sizeof(*operation))];
	uint32_t k = some_value();

	/* The kernel takes no others. */
	if (chosen == BPF_LSH || chosen == BPF_RSH)
		k %= 32;
	if (chosen == BPF_DIV && k == 0)
		k = 3;
	if (chosen == BPF_NEG)
		return (struct sock_filter)BPF_STMT(BPF_ALU | BPF_NEG, 0);
	return (struct sock_filter)BPF_STMT(BPF_ALU | chosen | (below(2) ? BPF_X : BPF_K), k);
}

static struct sock_filter jump(unsigned int room)
{
	static const uint16_t operation[] = { BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET };
	const uint16_t code = operation[below(4)] | (below(3) ? BPF_K : BPF_X);

	if (below(8) == 0)
		return (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, below(room));
	return (struct sock_filter)BPF_JUMP(BPF_JMP | code, some_value(), (uint8_t)below(room),
					    (uint8_t)below(room));
}

static struct sock_filter end(void)
{
	if (below(6) == 0)
		return (struct sock_filter)BPF_STMT(BPF_RET | BPF_A, 0);
	return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, below(2) ? SECCOMP_RET_ALLOW :
									some_value());
}

static struct sock_filter some_instruction(struct filter *f, unsigned int room)
{
	switch (below(16)) {
	case 0: return (struct sock_filter)BPF_STMT(BPF_LD | BPF_IMM, some_value());
	case 1: return (struct sock_filter)BPF_STMT(BPF_LDX | BPF_IMM, some_value());
	case 2: return (struct sock_filter)BPF_STMT(BPF_LD | BPF_MEM, below(CELLS_USED));
	case 3: return (struct sock_filter)BPF_STMT(BPF_LDX | BPF_MEM, below(CELLS_USED));
	case 4: return (struct sock_filter)BPF_STMT(BPF_ST, below(CELLS_USED));
	case 5: return (struct sock_filter)BPF_STMT(BPF_STX, below(CELLS_USED));
	case 6: return (struct sock_filter)BPF_STMT(BPF_MISC | (below(2) ? BPF_TAX : BPF_TXA), 0);
	case 7: return (struct sock_filter)BPF_STMT(BPF_LDX | BPF_W | BPF_LEN, 0);
	case 8: case 9: case 10: return calculate();
	case 11: return end();
	case 12: return load_word(f);
	default: return jump(room);
	}
}

/* It lets the program end. The kernel takes no cell that has not been stored before. */
static void make_filter(struct filter *f)
{
	const unsigned int body = CELLS_USED + 1 + below(BODY_MOST - CELLS_USED - 1);
	const unsigned int all = PRELUDE + body + 1;

	*f = (struct filter){
		.code = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
			  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
			  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
		.count = PRELUDE,
	};
	for (unsigned int i = 0; i < CELLS_USED; i++)
		f->code[f->count++] = (struct sock_filter)BPF_STMT(below(2) ? BPF_ST : BPF_STX, i);
	f->code[f->count++] = load_word(f);
	while (f->count < all - 1) {
		f->code[f->count] = some_instruction(f, all - f->count - 1U);
		f->count++;
	}
	f->code[f->count++] = end();
}

/* The kernel's verdict, by a process that makes the call, which is getppid. */
static int ask_kernel(struct filter *f, const struct filter_call *c)
{
	struct sock_fprog program = { .len = f->count, .filter = f->code };
	int status;
	const pid_t child = fork();

	if (child == 0) {
		const long parent = getppid();
		const bool is_loaded = !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
				       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
		const uint64_t *a = c->argument;

		if (!is_loaded)
			_exit(FILTER_REFUSED);
		/* It may be answered with the error 0. */
		syscall(SYS_exit_group,
			syscall(c->number, a[0], a[1], a[2], a[3], a[4], a[5]) == parent ?
				CALL_ALLOWED : CALL_FORBIDDEN);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return FILTER_REFUSED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : CALL_FORBIDDEN;
}

static bool loads_filters(void)
{
	const struct filter_call c = { .number = SYS_getppid };
	struct filter f = { .code = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) }, .count = 1 };

	return ask_kernel(&f, &c) == CALL_ALLOWED;
}

static void report(const struct filter *f, const char *what)
{
	diag("%s:", what);
	for (unsigned int i = 0; i < f->count; i++)
		diag("  %2u: %#06x jt %u jf %u k %#x", i, f->code[i].code, f->code[i].jt,
		     f->code[i].jf, f->code[i].k);
}

int main(void)
{
	unsigned int loaded = 0, unsafe = 0, strict = 0, allowed = 0, unknown = 0;
	struct filter f;

	if (!loads_filters())
		skip_all("no seccomp filter can be loaded here");
	for (unsigned int i = 0; i < FILTERS; i++) {
		struct filter_call c = { .number = SYS_getppid, .name = "getppid", .known = 0x3f };

		for (unsigned int k = 0; k < ARGUMENTS; k++)
			c.argument[k] = (uint64_t)some_value() << 32 | some_value();
		make_filter(&f);
		const int verdict = ask_kernel(&f, &c);

		if (verdict == FILTER_REFUSED)
			continue;
		loaded++;
		allowed += verdict == CALL_ALLOWED;
		if (filter_allows(f.code, f.count, &c) != (verdict == CALL_ALLOWED)) {
			/* It depends on where the call is made: this may be said of an allowed one. */
			if (verdict != CALL_ALLOWED || !f.depends_on_place) {
				strict += verdict == CALL_ALLOWED;
				unsafe += verdict != CALL_ALLOWED;
				report(&f, verdict == CALL_ALLOWED ? "allowed" : "forbidden");
			}
		}
		c.known = below(0x40);
		if (!filter_allows(f.code, f.count, &c))
			continue;
		unknown++;
		if (verdict != CALL_ALLOWED) {
			unsafe++;
			report(&f, "forbidden, with arguments that are not known");
		}
	}
	diag("%u filters, %u allow the call, %u whatever is not known", loaded, allowed, unknown);
	IN_U(loaded, FILTERS / 2, FILTERS);
	IN_U(allowed, FILTERS / 10, FILTERS);
	IN_U(unknown, FILTERS / 20, FILTERS);
	EQ_U(unsafe, 0);
	EQ_U(strict, 0);
	return done_testing();
}

#else

int main(void)
{
	skip_all("only x86-64 has --attach");
}

#endif
