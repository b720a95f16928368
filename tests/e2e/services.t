#!/bin/sh
# services.t -- The unit of systemd runs a service under memusage by a drop-in that systemd accepts, and
# takes it away again; the command that it makes works, and the recipe of a container names the
# packages that there are.
#
# systemctl is a stand-in: it shows the unit, and writes down how it was called.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
mkdir fake units
cat >fake/systemctl <<'EOF2'
#!/bin/sh
echo "$*" >>"$MU_TMP/calls"
case $1 in
cat)
	[ -e "$MU_TMP/units/$2" ] || exit 1
	cat "$MU_TMP/units/$2"
	for f in "$MU_TMP/units/$2.d"/*; do [ -e "$f" ] && printf '# /run%s\n' "$f" && cat "$f"; done
	;;
esac
exit 0
EOF2
chmod +x fake/systemctl
PATH=$MU_TMP/fake:$PATH
MEMUSAGE=$MU_BUILD/bin/memusage MEMUSAGE_UNITS=$MU_TMP/units
export MEMUSAGE MEMUSAGE_UNITS
service() { run "$MU_SRC/services/memusage-service" "$@"; }
# starts: what the drop-in starts, without memusage and its options
starts() { printf '%s\n' "$out" | sed -n "s|^ExecStart=\\([-:+!]*\\)$MEMUSAGE .* -- |\\1|p"; }

cat >units/web.service <<'EOF2'
# /lib/systemd/system/web.service
[Unit]
Description=A service
[Service]
Type=notify
ExecStartPre=/bin/true
ExecStart=/bin/false old
ExecStart=
# ExecStart=/bin/false comment
ExecStart=-/bin/sh -c "echo 'two  blanks'; \
	sleep 1" $OPTIONS
ExecReload=/bin/kill -HUP $MAINPID
[Install]
WantedBy=multi-user.target
EOF2
service print web
is "$status" 0 'a drop-in'
is "$(starts)" "-/bin/sh -c \"echo 'two  blanks';  	sleep 1\" \$OPTIONS" \
	'has the command of the unit, with quotes, variables and what stands before the path'
like "$out" '^ExecStart=$' '... in the place of that'
like "$out" '^ExecStart=-.* --quiet --sample --serve=unix:%t/memusage-web/http -- ' '... and serves it'
like "$out" '^RuntimeDirectory=memusage-web$' '... in a directory that systemd makes'
like "$out" '^NotifyAccess=all$' '... and may say that it is ready'
like "$out" '^KillMode=mixed$' '... and gets one SIGTERM, which memusage passes on'
nok 'nothing is written' test -e units/web.service.d
service on web.service
is "$status" 0 'on'
is "$(tail -n 2 calls)" "$(printf 'daemon-reload\ntry-restart web.service')" '... restarts the service'
first=$(cat units/web.service.d/50-memusage.conf)
is "$first" "$(service print web && printf '%s' "$out")" 'once more: the same'
export MEMUSAGE_OPTIONS='--start-paused --serve=127.0.0.1:0'
service print web
like "$out" '^ExecStart=-.*memusage --start-paused --serve=127\.0\.0\.1:0 -- /bin/sh' 'other options'
unset MEMUSAGE_OPTIONS
service off web
nok 'off: the drop-in is gone' test -e units/web.service.d
for bad in '' ../x /etc/x memusage@web; do
	service on "$bad"
	is "$status" 1 "'$bad' is refused"
done
service on nothing
is "$status" 1 'a service that is not there'
nok '... nothing is written' test -e units/nothing.service.d
cat >units/split.service <<'EOF2'
# /lib/systemd/system/split.service
[Service]
KillMode=control-group
ExecStart=/bin/sh -a \
# the port \
  --port 80 \
	; and more
  --bar
KillMode=process
[Install]
KillMode=mixed
EOF2
service print split
is "$(starts)" '/bin/sh -a    --port 80    --bar' 'comments within a command are left out, it goes on after them'
is "$(printf '%s\n' "$out" | grep KillMode)" '' 'another KillMode than the default stays'
service on split
is "$(service print split && printf '%s' "$out" | grep KillMode)" '' '... also the second time'
printf '[Service]\nExecStart=/bin/sh\nKillMode=process\nKillMode=\n' >units/reset.service
service print reset
like "$out" '^KillMode=mixed$' '... and an empty one is the default'
printf '[Service]\nExecStart=@/bin/sh name\n' >units/named.service
service on named
like "$err" 'gives its program another name' 'what cannot be done is said'

if command -v systemd-analyze >/dev/null; then
	service on web
	sed -e "s|@privlibdir@|$MU_SRC/services|" "$MU_SRC/services/memusage@.service" \
		>units/memusage@.service
	verify() {
		run env SYSTEMD_UNIT_PATH="$MU_TMP/units:/lib/systemd/system" systemd-analyze verify \
			--man=no --recursive-errors=no "$1"
		is "$status,$(printf '%s\n' "$err" | grep -E 'web|memusage' | grep -v 'usr/lib')" 0, \
			"systemd accepts ${1##*/}"
	}
	verify "$MU_TMP/units/web.service"
	sed 's/@\.service/@web.service/' units/memusage@.service >units/memusage@web.service
	verify "$MU_TMP/units/memusage@web.service"
	rm -r units/web.service.d
else
	skip 'no systemd-analyze here' 2
fi

# What systemd would run, run by a shell.
printf '[Service]\nExecStart=/bin/sh -c "exit 7"\n' >units/seven.service
export MEMUSAGE_OPTIONS='--quiet --sample'
service print seven
eval "$(printf '%s\n' "$out" | sed -n 's/^ExecStart=\(.\)/\1/p')"
is "$?" 7 'the command works'

packages() {
	tr '\n' ' ' <"$MU_SRC/services/Dockerfile" | sed 's/\\//g; s/RUN/\nRUN/g; s/COPY/\nCOPY/g' |
		sed -n 's/^RUN apt-get.*recommends \([^&]*\).*/\1/p' | tr -s ' \t' '\n' | sort -u
}
num "$(packages | grep -c .)" -gt 15 'the recipe of a container installs packages'
. /etc/os-release 2>/dev/null || ID=
if [ "$ID" = debian ] && [ "${VERSION_ID:-}" = 12 ] && command -v apt-cache >/dev/null; then
	# shellcheck disable=SC2046  # words are wanted
	apt-cache policy $(packages) >known 2>/dev/null
	if grep -q . known; then
		is "$(grep -c '^ *Candidate: [^(]' known)" "$(packages | grep -c .)" \
			'... that Debian 12 has'
	else
		skip 'apt knows no packages here'
	fi
else
	skip 'not Debian 12, or no apt-cache'
fi
done_testing
