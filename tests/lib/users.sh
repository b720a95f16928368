# users.sh -- commands run by another user. Source after tap.sh.
#
#	has_users             whether that can be done here: we are root, and others can run what was
#	                      built; else $no_users says why not
#	as_user COMMAND...    as user 64123, who has nothing; $user_dir is a directory of theirs
#	as_other COMMAND...   as user 64124
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

no_users=
as_id() {
	as=$1
	shift
	setpriv "--reuid=$as" "--regid=$as" --clear-groups --inh-caps=-all \
		env -u XDG_RUNTIME_DIR TMPDIR=/tmp "$@"
}
as_user() { as_id 64123 "$@"; }
as_other() { as_id 64124 "$@"; }
has_users() {
	if [ "$(id -u)" != 0 ]; then
		no_users='not root'
	elif ! command -v setpriv >/dev/null; then
		no_users='no setpriv here'
	elif ! as_user test -x "$MU_BUILD/bin/memusage"; then
		no_users='other users cannot reach this build'
	elif ! user_dir=$(mktemp -d /tmp/mu-user.XXXXXX); then
		no_users='no directory for another user'
	else
		chown 64123:64123 "$user_dir"
		trap 'rm -rf "$user_dir"; chmod -R u+rwX "$MU_TMP"; rm -rf "$MU_TMP"' EXIT
		return 0
	fi
	return 1
}
need_users() { has_users || skip_all "$no_users"; }
