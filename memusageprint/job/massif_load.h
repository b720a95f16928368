/* massif_load.h -- read a massif.out for a report, or as much of it as there is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_JOB_MASSIF_LOAD_H
#define MEMUSAGEPRINT_JOB_MASSIF_LOAD_H

#include "formats/massif.h"
#include "memusageprint/job/input.h"

/* massif_load -- read the whole file.
 *
 * m  to be given to massif_free() in any case; has at least one snapshot unless the file is
 *    useless.
 * Returns 0; -1 after a warning, when the file is damaged. What M then holds can be printed: it
 * is the part of a file that was cut short, or nothing.
 */
int massif_load(struct massif_file *m, struct input *in);

#endif
