/* examined.h -- what this process tells one that examines it from outside.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* examined_publish -- store in the image where an examiner finds what it needs. Cost: no memory. */
void examined_publish(void);
