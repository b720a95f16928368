#!/bin/sh
# hooked.t -- as tests/e2e/hooked.t, at the other levels of optimisation.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
MU_LEVELS='1 3' exec "${MU_SRC:-$(dirname "$0")/../..}/tests/e2e/hooked.t"
