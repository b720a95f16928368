#!/bin/sh
# docker.t -- programs in containers of docker, with its usual seccomp filter and capabilities: a
# recorder comes and goes from outside, and one is preloaded inside.
#
# Wants a docker daemon that we may use; its image has nothing but the programs and their libraries.
# MU_CYCLES (5) is how many times.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/attach.sh"
need docker
need_bin memusage
need_attach
docker info >daemon 2>&1 || skip_all "no docker daemon: $(tail -n 1 daemon)"

CYCLES=${MU_CYCLES:-5}
image=memusage-test-$$ name=memusage-test-$$
remove_all() {
	docker rm -f "$name" >removed 2>&1
	docker rmi -f "$image" >removed 2>&1
}
trap 'remove_all; exit 1' HUP INT TERM

# make_image: the programs with what they need, at its own paths
make_image() {
	mkdir -p root/tmp root/proc root/w root/bin
	chmod 1777 root/tmp
	for program in attached attached_odd forks memusage; do
		cp "$(command -v "$program")" "root/w/$program"
	done
	cp -L /bin/sh root/bin/
	mkdir -p root/lib/memusage
	cp "$MU_BUILD"/lib/memusage/*.so root/lib/memusage/
	for at in root/w/* root/bin/sh "$LIB"; do
		ldd "$at" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p'
	done | sort -u | while read -r library; do
		mkdir -p "root$(dirname "$library")"
		cp -L "$library" "root$library"
	done
	tar -C root -c . | docker import - "$image" >imported 2>&1
}
# shellcheck disable=SC2317 # is called by until_true
is_up() {
	grep -q ready output || ! kill -0 "$client" 2>/dev/null
}
# begin_container "OPTION..." PROGRAM ARG...: its process is $program
begin_container() {
	options=$1
	shift
	rm -f input
	: >output
	mkfifo input
	# shellcheck disable=SC2086
	docker run -i --rm --name "$name" --network=none $options "$image" "$@" \
		<input >output 2>errors &
	client=$!
	exec 3>input
	until_true is_up
	program=$(docker inspect -f '{{.State.Pid}}' "$name" 2>inspected)
}
end_container() {
	exec 3>&-
	ended=0
	wait "$client" || ended=$?
}

make_image || skip_all "docker cannot import an image: $(cat imported)"

# come_and_go_inside "OPTION..." PROGRAM ARG...
come_and_go_inside() {
	what="docker run $1, ${3:-$2}"
	begin_container "$@"
	if [ -z "$program" ]; then
		skip "$what: $(tail -n 1 errors)" 4
		end_container
		return
	fi
	came=0 round=0
	while [ $((round += 1)) -le "$CYCLES" ]; do
		run memusage --attach="$program" --duration=20ms -o report --record=run.mur
		if [ "$status" = 0 ] && grep -q 'Memory usage summary' report; then
			came=$((came + 1))
		else
			diag "$err"
		fi
	done
	is "$came" "$CYCLES" "$what: a recorder comes and goes"
	is "$(grep -c libmemusage "/proc/$program/maps")" 0 '... and leaves nothing'
	end_container
	is "$ended" 0 '... the program ends as it should'
	like "$(cat output)" '^done=[1-9][0-9]* bad=0' '... and has counted no fault'
}

for kind in threads 'blocks 4' children signals objects; do
	# shellcheck disable=SC2086
	come_and_go_inside '' /w/attached $kind
done
come_and_go_inside '--user 12345:12345' /w/attached threads
come_and_go_inside '--read-only' /w/attached threads
come_and_go_inside '--cap-drop ALL --security-opt no-new-privileges' /w/attached children
come_and_go_inside '--security-opt seccomp=unconfined' /w/attached children
come_and_go_inside '--privileged' /w/attached threads
come_and_go_inside '--memory 256m --pids-limit 100' /w/attached 'blocks' 4
come_and_go_inside '' /w/attached_odd ring
come_and_go_inside '' /w/attached_odd sequences

# ---- attached to from inside -------------------------------------------------------------------

begin_container '' /w/attached threads
run docker exec "$name" /w/memusage --attach=1
is "$status" 125 'an attacher in the container, which cannot read the filter'
like "$err" 'can read the filter: run this outside of the container,.*seccomp=unconfined' \
	'... says what to do'
end_container
is "$ended" 0 '... and the program goes on'
begin_container '--security-opt seccomp=unconfined' /w/attached threads
run docker exec "$name" /w/memusage --attach=1 --duration=100ms
is "$status" 0 'an attacher in a container without a filter' || diag "$err"
like "$err" 'Memory usage summary' '... reports'
end_container
is "$ended" 0 '... and the program goes on'

# ---- recorded from its start, inside ------------------------------------------------------------

# The filter forbids kcmp: children that share memory are known without it.
for kind in vfork raw shared-first-raw spawn; do
	forks "$kind" 3 >native.out
	docker run --rm --network=none "$image" /w/memusage --children=lines /w/forks "$kind" 3 \
		>inside.out 2>inside.err
	is "$?" 0 "recorded inside, forks $kind: its status"
	same inside.out native.out '... its output'
	like "$(cat inside.err)" 'Memory usage summary' '... a report'
done
remove_all
done_testing
