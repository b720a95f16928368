/* sample.c -- The option --sample: recording some blocks, and estimating the rest.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/sample.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/units.h"
#include "recording/env.h"

const char *sample_option(const struct opt *option, const char *arg, void *data)
{
	struct sample_settings *s = data;
	char text[UNITS_LENGTH];
	uint64_t bytes;

	(void)option;
	*s = (struct sample_settings){ .is_wanted = true, .log2 = MU_SAMPLE_LOG2_DEFAULT };
	if (!arg || strcmp(arg, "auto") == 0)
		return NULL;
	if (!units_parse_size(arg, &bytes) || bytes < UINT64_C(1) << MU_SAMPLE_LOG2_MIN ||
	    bytes > UINT64_C(1) << MU_SAMPLE_LOG2_MAX)
		return "must be auto, or a number of bytes from 1K to 256M";
	s->is_fixed = true;
	s->log2 = 64 - (unsigned int)__builtin_clzll(bytes - 1);
	if (bytes != UINT64_C(1) << s->log2)
		warn("--sample=%s is rounded up to %s: the distance of samples is a power of two",
		     arg, units_bytes(text, UINT64_C(1) << s->log2));
	return NULL;
}

/* A number of a variable for tests; 0 if it is not set. */
static uint32_t number_for_tests(const char *name)
{
	const char *text = getenv(name);
	uint64_t value = 0;

	return text && units_parse_count(text, &value) ? (uint32_t)value : 0;
}

void sample_configure(struct mu_config *config, const struct sample_settings *s)
{
	if (!s->is_wanted)
		return;
	config->flags |= MU_CFG_SAMPLE | (s->is_fixed ? 0 : MU_CFG_SAMPLE_AUTO);
	config->sample_log2 = s->log2;
	config->sample_seed = number_for_tests(MU_ENV_SAMPLE_SEED);
	config->sample_limit = number_for_tests(MU_ENV_SAMPLE_LIMIT);
}
