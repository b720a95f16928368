#!/bin/sh
# push.t -- --push delivers what was allocated, each byte once, and what is in use, to servers of
# Pyroscope and OpenTelemetry that are well, slow, rude or away; what they do not get is counted.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
has_program memusageserve || skip_all 'this build has no memusageserve'
need_bin memusage memusageserve pushed
"$MU_SRC/tests/lib/push/python" -c 1 2>/dev/null || skip_all 'no protobuf for python3'
need protoc
PATH=$WORKLOADS:$PATH

# begin_server KIND ADDRESS FOLDER; sets $server and $at
begin_server() {
	mkdir -p "$3"
	rm -f "$3/at"
	"$MU_SRC/tests/lib/push/python" "$MU_SRC/tests/lib/push/server.py" "$@" 2>"$3/err" 3>&- 4<&- &
	server=$!
	until_true [ -s "$3/at" ] || bail "no server: $(cat "$3/err")"
	at=$(cat "$3/at")
}
end_server() {
	kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
}
# begin_program: `pushed` under memusage; sets $pid
begin_program() {
	begin_live memusage -q --record=run.mur pushed
	tell keep 1 1
	launcher=$(pids memusage "$job")
	pid=$(pids pushed "${launcher:-$job}")
}
# begin_push ARG...; sets $pusher
begin_push() {
	rm -f push.err
	memusageserve --pid="$pid" --push-interval=200ms "$@" 2>push.err 3>&- 4<&- &
	pusher=$!
	until_true grep -q pushing push.err
}
end_push() {
	wait "$pusher"
	push_status=$?
}
# numbers of the pushes in a folder
pushes() { (cd "$1" && ls ./*.txt 2>/dev/null) | sed 's/.*\///; s/\.txt//' | sort -n; }
# allocated FOLDER PATTERN: blocks and bytes of all pushes of samples that match
allocated() {
	(cd "$1" && cat ./*.txt 2>/dev/null) | sed -n 's/other places/other_places/; /^sample /p' |
		grep -E -e "$2" |
		awk '{ blocks += $3; bytes += $4 } END { print blocks + 0, bytes + 0 }'
}
has_allocated() { [ "$(allocated "$1" "$2")" = "$3" ]; }
# in_use FOLDER PATTERN: of the last push
in_use() {
	grep -E -e "$2" "$1/$(pushes "$1" | tail -1).txt" |
		awk '/^sample/ { blocks += $5; bytes += $6 } END { print blocks + 0, bytes + 0 }'
}
has_in_use() { [ "$(in_use "$1" "$2")" = "$3" ]; }
has_samples() { [ "$(cat whole/*.txt 2>/dev/null | grep -c ^sample)" -gt 1000 ]; }
has_log() { grep -q "^$2 " "$1/log"; }

# ---- what is pushed --------------------------------------------------------------------------

for kind in pyroscope otlp; do
	begin_server $kind 0 $kind
	begin_program
	tell keep 100 10
	case $kind in
	pyroscope) url=http://$at ;;
	otlp) url=otlp:http://$at ;;
	esac
	begin_push --push="$url" --label=env=test --label=zone=a-1
	until_true has_in_use $kind keep: '11 1001' || bail "$kind: $(cat push.err $kind/refused)"
	is "$(allocated $kind keep:)" '0 0' "$kind: what was allocated before is in no push"
	tell keep 1000 5
	tell churn 50 400
	tell label login
	tell keep 30 3
	until_true has_allocated $kind . '408 25090'
	is "$(allocated $kind 'keep:.* [0-9]+$')" '5 5000' "$kind: blocks of a place"
	is "$(allocated $kind 'keep:.*request=login')" '3 90' '... with a label'
	is "$(allocated $kind churn:)" '400 20000' '... and of one that keeps nothing'
	has_both() { has_in_use "$kind" 'keep:.* [0-9]+$' '16 6001' &&
		has_in_use "$kind" login '3 90'; }
	ok "$kind: what is in use" until_true has_both
	is "$(in_use $kind churn:)" '0 0' '... and what is not'
	like "$(cat $kind/1.txt)" '^labels .*env=test .*service[._]name=pushed zone=a-1$' \
		"$kind: labels of the profile"
	like "$(cat $kind/1.txt)" '^types alloc_objects/count alloc_space/bytes inuse_objects/count in' \
		"$kind: types"
	end
	end_push
	is "$push_status" 0 "$kind: memusageserve ends with the program"
	like "$(cat push.err)" "^memusageserve: $(pushes $kind | wc -l) profiles were pushed to $url$" \
		'... and says what it did'
	nok "$kind: no push was refused" [ -e $kind/refused ]
	end_server
done
for n in $(pushes pyroscope); do
	sed -n 's/^time \([0-9]*\) .*/\1/p' "pyroscope/$n.txt"
done >times.txt
ok 'times ascend' sort -nc times.txt

# ---- servers that are rude, or away ------------------------------------------------------------

begin_server pyroscope 0 rude
begin_program
begin_push --push="http://$at" --serve="unix:$PWD/http"
until_true [ -e rude/1.txt ]
echo '500 reset 429:1 503 redirect slow' >rude/plan
tell keep 100 7
tell churn 10 90
until_true has_log rude slow
ok 'errors, resets, redirections, slow answers: everything arrives' \
	until_true has_allocated rude . '97 1600'
is "$(allocated rude 'keep:')" '7 700' '... once'
# A server that ends before its answer is complete gets the profile again when it comes back.
ends_with_ok() { tail -n 1 rude/log | grep -q '^ok '; }
ok '... and then answers are fast again' until_true ends_with_ok
port=${at#*:}
end_server
tell keep 100 3
until_true grep -q 'cannot push' push.err
like "$(cat push.err)" 'cannot push to http://127.0.0.1:[0-9]+: .*; trying again$' 'a server is away'
tell keep 100 4
begin_server pyroscope "$port" rude2
ok 'it comes back, and gets what was allocated meanwhile' \
	until_true has_allocated rude2 keep: '7 700'
until_true grep -q 'is there again' push.err
is "$(allocated rude2 keep:)" '7 700' '... once'
echo '400' >rude2/plan
tell keep 64 2
ok 'a server refuses a profile' until_true grep -q 'refuses a profile: HTTP 400 not now' push.err
echo '401' >rude2/plan
ok '... one that wants a token, which the message says' \
	until_true grep -q 'refuses a profile: HTTP 401 (it wants a token: MEMUSAGE_PUSH_TOKEN, ' push.err
echo 'loop loop loop loop' >rude2/plan
ok 'redirections without end are given up' \
	until_true grep -q 'refuses a profile: .*redirect' push.err
if command -v curl >/dev/null; then
	curl -s --unix-socket "$PWD/http" http://localhost/metrics >metrics
	is "$(sed -n 's/^memusage_push_profiles_dropped_total //p' metrics)" 3 '/metrics counts what was dropped'
	num "$(sed -n 's/^memusage_push_profiles_sent_total //p' metrics)" -gt 2 '... what was sent'
	num "$(sed -n 's/^memusage_push_retries_total //p' metrics)" -gt 3 '... and retries'
else
	skip 'no curl'
fi
before=$(pushes rude2 | tail -1)
are_more() { [ "$(pushes rude2 | tail -1)" -gt "$before" ]; }
until_true are_more
end
end_push
like "$(cat push.err)" '^memusageserve: 3 of [0-9]+ profiles could not be pushed to ' \
	'what was refused is counted at the end'
end_server

# ---- the end of the program during an outage -------------------------------------------------

begin_server pyroscope 0 gone
begin_program
begin_push --push="http://$at"
until_true [ -e gone/1.txt ]
echo away >gone/plan
tell churn 1000 8
has_waited() { [ "$(grep -c ^away gone/log)" -ge 3 ]; }
until_true has_waited
end
end_push
like "$(cat push.err)" '^memusageserve: [0-9]+ of [0-9]+ profiles could not be pushed to .*: 7\.81 KiB in' \
	'the program ends while the server is away: what is lost is said'
is "$push_status" 0 '... and nothing waits for ever'
end_server

# ---- from the beginning to the end -------------------------------------------------------------

begin_server pyroscope 0 whole
printf 'keep 100 10\nlabel a\nchurn 50 100\n' >lines
# shellcheck disable=SC2016
ok 'memusage --push' memusage -q --push="http://$at" --push-interval=30m --label=env=test --record=run.mur \
	sh -c 'pushed <lines >/dev/null; pushed <lines >/dev/null; :'
ok 'the last push has what processes allocated that no other one has seen' \
	until_true has_allocated whole '(keep|churn):' '220 12000'
is "$(allocated whole 'churn:.* request=a$')" '200 10000' '... with labels'
is "$(in_use whole .)" '0 0' '... and nothing is in use any more'
if need_bin manystacks && command -v jq >/dev/null; then
	rm -f whole/*.txt
	memusage -q --push="http://$at" --push-interval=30m --record=many.mur manystacks 5 >/dev/null
	until_true has_samples
	memusageprint --to=json -o many.json many.mur
	is "$(allocated whole .)" "$(jq -r '.sites | "\(map(.total_blocks) | add) \(map(.total_bytes) | add)"' \
		many.json)" '59,049 stacks: the sum is true'
	num "$(grep -c '^sample' whole/*.txt)" -le 16000 '... of as many samples as a server takes'
	like "$(cat whole/*.txt)" '^sample \[other places\]:0 [1-9]' '... the others are one'
	nok '... and it was not refused' [ -e whole/refused ]
else
	skip 'no jq' 4
fi
run memusage --push=ftp://x true
like "$status $err" '^125 memusageserve: --push=ftp://x: it must begin' 'a wrong URL is refused first'
run memusage --label=a=b true
like "$status $err" '^125 .*--push=URL is missing' '--label alone'
end_server

# ---- addresses and secrets -------------------------------------------------------------------

begin_server pyroscope "$PWD/push.sock" unix
begin_program
printf '# for the gateway\nX-Scope-OrgID: team-7\n' >headers
MEMUSAGE_PUSH_TOKEN=s3cret begin_push --push="unix:$PWD/push.sock" --push-headers=headers
until_true [ -e unix/1.txt ]
like "$(cat unix/1.headers)" '^Authorization: Bearer s3cret' 'a token of the environment'
like "$(cat unix/1.headers)" '^X-Scope-OrgID: team-7' 'headers of a file'
unlike "$(tr '\0' ' ' <"/proc/$pusher/cmdline")" 's3cret|team-7' '... are not on the command line'
echo '401' >unix/plan
ok 'a server that does not take the token, which the message says' \
	until_true grep -q 'HTTP 401 (it does not take what MEMUSAGE_PUSH_TOKEN ' push.err
end
end_push
end_server

begin_server pyroscope 0 stranger
stranger=$server stranger_url=http://$at/push.v1.PusherService/Push
begin_server pyroscope 0 named
begin_program
printf 'X-Api-Key: s3cret\n' >headers
echo "redirect to=$stranger_url" >named/plan
begin_push --push="http://$at" --push-headers=headers
ok 'with headers, no redirection to another server is followed' \
	until_true grep -q 'refuses a profile: HTTP 307, a redirection to another server' push.err
nok '... which gets nothing' [ -e stranger/log ]
tell keep 1 1
ok '... the server itself gets the next profile' until_true [ -e named/1.txt ]
is "$(grep -c redirect named/log)" 1 '... one to the same server was followed'
end
end_push
begin_program
echo "to=$stranger_url" >named/plan
begin_push --push="http://$at"
tell keep 1 1
ok 'without headers it is followed' until_true [ -e stranger/1.txt ]
end
end_push
end_server
server=$stranger
end_server

# ---- certificates ----------------------------------------------------------------------------

# signed NAME HOST DAYS: NAME.pem, the certificate of HOST and its key, signed by ca.pem
signed() {
	openssl req -newkey rsa:2048 -nodes -keyout "$1.key" -subj "/CN=$2" -out "$1.csr" &&
		printf 'subjectAltName=%s\n' "$2" >"$1.ext" &&
		openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days "$3" \
			-extfile "$1.ext" -out "$1.crt" && cat "$1.crt" "$1.key" >"$1.pem"
} >openssl.log 2>&1
authority() {
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$1.key" -subj "/CN=$1 of a test" -days 30 \
		-out "$1.pem" >openssl.log 2>&1
}
# refuses TEXT ARG...: the server at $at is not sent anything, and the message says why
refuses() {
	text=$1
	shift
	begin_push --push="https://$at" "$@"
	until_true grep -q 'cannot push' push.err
	like "$(cat push.err)" "$text" "$text"
	kill "$pusher"
	end_push
}
if command -v openssl >/dev/null && python3 -c 'import ssl' 2>/dev/null && authority ca &&
	authority other && signed here IP:127.0.0.1 30 && signed there DNS:there.example 30 &&
	signed old IP:127.0.0.1 -1; then
	begin_program
	CERTIFICATE=here.pem begin_server pyroscope 0 secure
	refuses 'certificate problem.*\(--push-ca=FILE names its authority\); trying again'
	refuses 'certificate problem.*that --push-ca does not have' --push-ca=other.pem
	nok 'a server that cannot be verified is sent nothing' [ -e secure/log ]
	begin_push --push="https://$at" --push-ca=ca.pem
	until_true [ -e secure/1.txt ]
	tell keep 100 7
	ok 'https, by an authority of --push-ca' until_true has_allocated secure keep: '7 700'
	kill "$pusher"
	end_push
	end_server
	CERTIFICATE=there.pem begin_server pyroscope 0 elsewhere
	refuses "subject name.*127.0.0.1" --push-ca=ca.pem
	end_server
	CERTIFICATE=old.pem begin_server pyroscope 0 expired
	refuses 'expired' --push-ca=ca.pem
	end_server
	is "$(ls elsewhere/log expired/log 2>/dev/null)" '' 'these are sent nothing, either'
	begin_server pyroscope 0 plain
	refuses 'cannot push to https' --push-ca=ca.pem
	end_server
	end
else
	skip "no openssl: $(cat openssl.log 2>/dev/null)"
fi

# refused TEXT ARG...: before anything runs
refused() {
	text=$1
	shift
	run memusageserve --pid=1 "$@"
	like "$status $err" "$text" "$*"
}
refused '2 .*--push=URL is missing' --push-interval=1s
refused '2 .*--push=URL is missing' --push-ca=ca.pem
refused '2 .*from 100ms to 30m' --push=http://x --push-interval=1ms
refused '2 .*a number with ms, s or m' --push=http://x --push-interval=soon
refused '2 .*a label is KEY=VALUE' --push=http://x --label=env
refused '2 .*a name has letters' --push=http://x --label=a-b=c
refused "2 .*the server's" --push=http://x --label=__name__=c
refused '2 .*given before' --push=http://x --label=a=b --label=a=c
begin_program
refused_url() {
	text=$1
	shift
	run memusageserve --pid="$pid" "$@"
	like "$status $err" "$text" "$*"
}
refused_url '1 .*every user can see a password' --push=http://me:secret@x
refused_url '1 .*must begin with http' --push=ftp://x
refused_url '1 .*must begin with /' --push=unix:x
refused_url '1 .*line 1 is not "Name: value"' --push=http://x --push-headers=/etc/hostname
refused_url '1 .*No such file' --push=http://x --push-headers=nothing
refused_url '1 .*does not begin with https' --push=http://x --push-ca=/etc/hostname
refused_url '1 .*--push-ca: nothing: No such file' --push=https://x --push-ca=nothing
end
done_testing
