/* dhat.c -- The options of Valgrind's DHAT.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/dhat.h"

#include <stddef.h>
#include <string.h>

#include "memusage/common/clock.h"
#include "recording/points.h"

static const char *const words[] = {
	[DHAT_TIME_NS] = "ns", [DHAT_TIME_MS] = "ms", [DHAT_TIME_CPU] = "cpu",
	[DHAT_TIME_B] = "B", [DHAT_TIME_ALLOCS] = "allocs", [DHAT_TIME_I] = "i",
};

void dhat_reset(struct dhat_settings *d)
{
	*d = (struct dhat_settings){ .file = "dhat.out.%p", .callers = 12,
				     .time = DHAT_TIME_NS };
}

const char *dhat_out_file(const struct opt *option, const char *arg, void *data)
{
	struct dhat_settings *d = data;

	d->file = arg;
	d->is_wanted = true;
	return NULL;
}

static bool is_massif_unit(const char *word)
{
	return strcmp(word, "ms") == 0 || strcmp(word, "B") == 0 || strcmp(word, "i") == 0;
}

/* --time-unit alone does not ask for Massif's profile: settle_massif() decides when all options are
 * known. */
static const char *pass_unit_to_massif(const struct opt *option, const char *arg,
				       const struct dhat_and_massif *both)
{
	bool was_meant = both->massif->is_meant;
	const char *why = massif_option(option, arg, both->massif);

	both->massif->is_meant = was_meant;
	both->dhat->has_unit = true;
	return why;
}

const char *dhat_time_unit(const struct opt *option, const char *arg, void *data)
{
	const struct dhat_and_massif *both = data;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(words[i], arg) != 0)
			continue;
		both->dhat->time = (int)i;
		if (is_massif_unit(arg))
			return pass_unit_to_massif(option, arg, both);
		both->dhat->is_wanted = true;
		return NULL;
	}
	return "must be 'ns', 'ms', 'cpu', 'B', 'allocs' or 'i'; for Massif 'ms', 'B' or 'i'";
}

const char *dhat_tool(const struct opt *option, const char *arg, void *data)
{
	const struct dhat_and_massif *both = data;

	if (strcmp(arg, "dhat") == 0)
		both->dhat->is_wanted = true;
	else if (strcmp(arg, "massif") == 0)
		both->massif->is_wanted = true;
	else
		return "is not supported: memusage replaces the tools massif and dhat";
	return NULL;
}

void dhat_configure(struct mu_config *config, const struct dhat_settings *d)
{
	static const uint32_t clocks[] = {
		[DHAT_TIME_CPU] = MU_CLOCK_CPU, [DHAT_TIME_B] = MU_CLOCK_BYTES,
		[DHAT_TIME_ALLOCS] = MU_CLOCK_BLOCKS, [DHAT_TIME_I] = MU_CLOCK_INSTRUCTIONS,
	};

	config->flags |= MU_CFG_POINTS;
	config->point_depth = d->callers;
	if (d->time > DHAT_TIME_MS)
		config->point_clock = clocks[d->time];
	else
		config->point_clock = clock_tsc_is_good() ? MU_CLOCK_TICKS : MU_CLOCK_NS;
}

const char *dhat_unit_word(const struct dhat_settings *d)
{
	return words[d->time];
}
