#!/bin/sh
# longer.t -- the end-to-end tests that make more attempts with MU_SLOW pass with it, too.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"

longer=$(grep -l -e MU_SLOW -e '$(attempts ' -e '^[[:space:]]*is_turn ' "$MU_SRC"/tests/e2e/*.t)
num "$(echo "$longer" | wc -l)" -ge 3 'there are such tests'
for test in $longer; do
	MU_SLOW=yes "$MU_SRC/tests/run" -t 3600 "$test" >said 2>&1
	like "$(tail -n 1 said)" '^[1-9][0-9]* passed, 0 failed, ' "$(basename "$test")"
	sed -n 's/^    | /# /p' said
done
done_testing
