#!/bin/sh
# durable.t -- as tests/e2e/durable.t, with 200 kills of each kind.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
MU_KILLS=200 exec "${MU_SRC:-$(dirname "$0")/../..}/tests/e2e/durable.t"
