/* species.c -- the table of species. The first must be one that always records something.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

enum { KB = 1024 };

const struct species zoo_species[] = {
	/* name, function, needs, stack, weight, steps in its body */
	{ "work", do_work, 0, 0, 16, 0 },
	{ "family", do_family, 0, 4 * KB, 4, 0 },
	{ "libc", do_libc, 0, 16 * KB, 3, 0 },
	{ "pool", do_pool, 0, 4 * KB, 3, 0 },
	{ "map", do_map, CAN_QUIET, 8 * KB, 4, 0 },
	{ "deep", do_deep, 0, 24 * KB, 5, 3 },
	{ "repeat", do_repeat, 0, 1 * KB, 4, 3 },
	{ "jump", do_jump, 0, 4 * KB, 5, 3 },
	{ "jit", do_jit, 0, 8 * KB, 5, 3 },
	{ "load", do_load, CAN_LOAD, 48 * KB, 5, 3 },
	{ "throw", do_throw, CAN_LOAD, 48 * KB, 2, 2 },
	{ "thread", do_thread, CAN_THREAD, 24 * KB, 9, 4 },
	{ "together", do_together, CAN_THREAD, 24 * KB, 5, 4 },
	{ "co", do_co, 0, 16 * KB, 9, 5 },
	{ "fork", do_fork, CAN_FORK, 24 * KB, 6, 3 },
	{ "share", do_share, CAN_FORK, 24 * KB, 4, 2 },
	{ "orphan", do_orphan, CAN_FORK, 24 * KB, 2, 2 },
	{ "headless", do_headless, CAN_FORK | CAN_THREAD | CAN_ALONE, 24 * KB, 3, 4 },
	{ "exec", do_exec, CAN_FORK, 48 * KB, 2, 4 },
	{ "signal", do_signal, 0, 20 * KB, 9, 3 },
	{ "timer", do_timer, CAN_CHANGE | CAN_ALONE, 48 * KB, 2, 4 },
	{ "harsh", do_harsh, CAN_FORK, 32 * KB, 6, 4 },
};

const unsigned int zoo_species_count = sizeof(zoo_species) / sizeof(zoo_species[0]);
