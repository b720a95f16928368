/* picture_format.h -- Names of pictures in formats that nothing here draws.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* picture_format_foreign -- Returns the ending of a file name, ".jpg", if it names a format that
 * memusagestat does not draw; NULL for all other names.
 *
 * A picture under such a name would be a PNG that other programs refuse.
 */
const char *picture_format_foreign(const char *name);
