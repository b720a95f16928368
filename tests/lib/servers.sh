# servers.sh -- nginx and PostgreSQL on loopback, in a directory of their own. Source it.
#
#	server_base			makes $base, where a user other than root can write
#	nginx_start [WRAPPER...]	serves /text on $port; $server is what was started
#	nginx_workers			their process IDs
#	nginx_stop
#	postgres_start [WRAPPER...]	makes a database if need be; socket in $base
#	postgres_bench OPTION...	pgbench
#	postgres_backends		process IDs that serve a client now
#	postgres_stop
#	cpu_ns PID...			CPU time so far of these processes and their threads
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

NGINX=$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v nginx || :)
PG_BINARIES=$(printf '%s\n' /usr/lib/postgresql/*/bin | tail -1)

server_base() {
	base=$(mktemp -d /tmp/memusage-server.XXXXXX)
	chmod 777 "$base"
}

cpu_ns() {
	for pid; do
		cat "/proc/$pid/task/"*/schedstat 2>/dev/null
	done | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# ---- nginx

NGINX_BODY=4096
nginx_start() {
	mkdir -p "$base/www" "$base/tmp"
	head -c $NGINX_BODY /dev/zero | tr '\0' x >"$base/www/text"
	chmod -R a+rX "$base/www"
	chmod 777 "$base/tmp"
	port=$((20000 + $$ % 20000))
	cat >"$base/nginx.conf" <<END
daemon off;
worker_processes 1;
pid $base/nginx.pid;
error_log $base/error.log;
events { worker_connections 256; }
http {
	access_log off;
	keepalive_requests 100000000;
	client_body_temp_path $base/tmp; proxy_temp_path $base/tmp; fastcgi_temp_path $base/tmp;
	uwsgi_temp_path $base/tmp; scgi_temp_path $base/tmp;
	gzip on; gzip_min_length 1; gzip_types *;
	server { listen 127.0.0.1:$port; root $base/www; }
}
END
	"$@" "$NGINX" -p "$base" -c "$base/nginx.conf" >"$base/nginx.out" 2>&1 &
	server=$!
	for _ in $(seq 100); do
		[ -n "$(nginx_workers)" ] && [ -s "$base/nginx.pid" ] && return
		sleep 0.1
	done
	return 1
}

nginx_workers() {
	[ -s "$base/nginx.pid" ] && pgrep -P "$(cat "$base/nginx.pid")" -x nginx
}

nginx_stop() {
	kill -QUIT "$(cat "$base/nginx.pid")"
	wait "$server"
}

# ---- PostgreSQL, which does not run as root

pg_as() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$base" TMPDIR="$base" "$@"
	else
		"$@"
	fi
}

postgres_start() {
	[ -d "$base/data" ] ||
		pg_as "$PG_BINARIES/initdb" -D "$base/data" -A trust -U me --no-locale -E UTF8 -N \
			>"$base/initdb.out" 2>&1 || return 1
	pg_as "$@" "$PG_BINARIES/postgres" -D "$base/data" -k "$base" -c listen_addresses= \
		-c fsync=off -c synchronous_commit=off -c autovacuum=off >"$base/server.out" 2>&1 &
	server=$!
	for _ in $(seq 100); do
		pg_as "$PG_BINARIES/pg_isready" -q -h "$base" && break
		sleep 0.1
	done
	[ -e "$base/filled" ] || pg_as "$PG_BINARIES/pgbench" -h "$base" -U me -i -q postgres \
		>"$base/filled" 2>&1
}

postgres_bench() {
	# shellcheck disable=SC2086
	pg_as ${PG_BENCH_ON:-} "$PG_BINARIES/pgbench" -h "$base" -U me -n "$@" postgres 2>&1
}

# The parent of all is the first line of its file.
postgres_backends() {
	pgrep -P "$(head -1 "$base/data/postmaster.pid")" -f 'postgres: me postgres'
}

postgres_stop() {
	pg_as "$PG_BINARIES/pg_ctl" -D "$base/data" -m fast stop >/dev/null 2>&1
	wait "$server"
}
