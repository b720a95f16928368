# suites.sh -- the test suites of other people's programs, alone and under memusage. Source after
# tap.sh.
#
#	fetch_source PACKAGE     Debian's source of it, unpacked in $source; no test if there is none
#	holds NAME COMMAND...    if COMMAND succeeds alone it succeeds under memusage in each mode
#	end_suite LEAST          so many must have succeeded alone
#
# MU_SUITE_MODES=all runs each COMMAND in each mode; else they take turns. MU_SUITE_FROM=NAME leaves
# out what comes before NAME, so that a run that was cut off can go on. Those that do not succeed
# alone, within MU_SUITE_SECONDS (120), are counted and left out. A suite has tests that fail now and
# then by themselves: COMMAND fails under memusage if it does so thrice, and succeeds alone thrice.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

: "${MU_SUITE_SECONDS:=120}"
held=0 left=0 turn=0 from=${MU_SUITE_FROM:-}

fetch_source() {
	fetched=$MU_BUILD/suites/$1
	source=$(find "$fetched" -mindepth 1 -maxdepth 1 -type d -name "${1%%[0-9]*}*" 2>/dev/null)
	[ -z "$source" ] || return 0
	rm -rf "$fetched"
	mkdir -p "$fetched/lists/partial" "$fetched/cache/archives/partial"
	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	echo "deb-src http://deb.debian.org/debian $release main" >"$fetched/sources"
	ask_apt() {
		(cd "$fetched" && apt-get -qq -o APT::Sandbox::User=root -o Acquire::Retries=1 \
			-o Dir::Etc::sourcelist="$fetched/sources" -o Dir::Etc::sourceparts=- \
			-o Dir::State::lists="$fetched/lists" -o Dir::Cache="$fetched/cache" "$@")
	}
	if ! ask_apt update >"$fetched/log" 2>&1 ||
		! ask_apt source --download-only "$1" >>"$fetched/log" 2>&1; then
		tail -n 3 "$fetched/log" >why
		rm -rf "$fetched"
		skip_all "Debian's source of $1 cannot be fetched: $(cat why)"
	fi
	(cd "$fetched" && find . -maxdepth 1 -name '*.orig.tar.*' -exec tar xf {} \;) || exit 1
	source=$(find "$fetched" -mindepth 1 -maxdepth 1 -type d -name "${1%%[0-9]*}*")
	[ -n "$source" ] || bail "the source of $1 has no directory"
}

# alone COMMAND...: whether it succeeds
alone() { timeout -k 5 "$MU_SUITE_SECONDS" "$@" >"$MU_TMP/alone.out" 2>&1 </dev/null; }
# recorded MODE COMMAND...: the same under memusage, which may take longer
recorded() {
	mode=$1
	shift
	rm -f "$MU_TMP/report"
	# shellcheck disable=SC2086  # words are wanted
	timeout -k 5 $((MU_SUITE_SECONDS * 10)) memusage -o "$MU_TMP/report" $mode -- "$@" \
		>"$MU_TMP/recorded.out" 2>&1 </dev/null
}
# fails MODE COMMAND...: whether that is what memusage does to it
fails() {
	for _ in 1 2 3; do
		! recorded "$@" || return 1
	done
	mode=$1
	shift
	alone "$@" && alone "$@" && alone "$@"
}
holds() {
	name=$1
	shift
	turn=$((turn + 1))
	[ "$name" != "$from" ] || from=
	[ -z "$from" ] || return 0
	alone "$@" || {
		left=$((left + 1))
		return
	}
	held=$((held + 1))
	number=0
	while read -r mode; do
		number=$((number + 1))
		[ "${MU_SUITE_MODES:-}" = all ] || [ $((turn % modes)) = $((number % modes)) ] || continue
		if recorded "$mode" "$@" || ! fails "$mode" "$@"; then
			ok "$name: $mode" grep -Eq '^ *(malloc|mmap.*)\| *[1-9]|, calls: [1-9]' "$MU_TMP/report"
		else
			fail "$name: $mode"
			diag "$(tail -n 8 "$MU_TMP/recorded.out")"
		fi
	done <"$MU_TMP/modes"
}
end_suite() {
	[ -z "$from" ] || bail "the suite has no test $from"
	[ -z "${MU_SUITE_FROM:-}" ] || set -- 1
	num "$held" -ge "$1" "$held hold alone ($left do not)"
	done_testing
}

cat >"$MU_TMP/modes" <<END
--no-timer
--data=$MU_TMP/run.dat -m
--top
--top --sample
--record=$MU_TMP/run.mur --leak-check=summary
--massif --massif-out-file=$MU_TMP/run.massif
--dhat-out-file=$MU_TMP/run.dhat
--own-malloc=patch --top
END
modes=$(wc -l <"$MU_TMP/modes")
