/* sample.h -- The option --sample: recording some blocks, and estimating the rest.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "recording/recording.h"

/* Zeroed: all blocks are recorded. */
struct sample_settings {
	bool is_wanted;
	bool is_fixed;		/* the user gave the distance; otherwise it grows */
	unsigned int log2;	/* 2^log2 bytes between two sampled blocks */
};

/* sample_option -- Takes the argument of --sample: bytes, "auto", or none. As in struct opt. */
const char *sample_option(const struct opt *option, const char *arg, void *data);

/* sample_configure -- Enters the settings in the configuration of the recorder. */
void sample_configure(struct mu_config *config, const struct sample_settings *s);
