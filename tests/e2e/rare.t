#!/bin/sh
# rare.t -- what few programs do: it goes as alone, whatever is recorded.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:?}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin rare

for kind in sibling notified disarmed apart traced executed spawned prepared named closed renamed confined unmasked; do
	while read -r options; do
		is_turn 3 || continue
		# shellcheck disable=SC2086
		profiled "$kind: $options" $options -- rare "$kind"
	done <<-END
		--no-timer
		--data=run.dat -m --children=files
		--massif --massif-out-file=run.massif.%p
		--dhat --dhat-out-file=run.dhat.%p
		--record=run.mur
		--own-malloc=patch
		--client-requests=yes
		--pages-as-heap=yes --massif --massif-out-file=run.massif.%p
	END
done
done_testing
