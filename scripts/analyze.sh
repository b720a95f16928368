#!/bin/sh
# analyze.sh -- static analysis: gcc -fanalyzer, then clang-tidy where it is installed.
#
#	scripts/analyze.sh BUILD CPPFLAGS SOURCE...      (called by `make analyze`)
#
# Fails if either has something to say.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -u

build=$1 cppflags=$2
shift 2
mkdir -p "$build"
status=0

# Checks that find mistakes. Checks of style are left out, and those that are wrong here:
#   swappable parameters, narrowing, assignment in if, sizeof of a pointer: intended
#   reserved identifiers: interposing needs them
#   err33: the failure of a printf to a terminal may be ignored
#   DeprecatedOrUnsafe, strcpy: want C11 Annex K and strlcpy, which glibc 2.36 lacks
#   valist: wrong in clang 14 wherever a va_list is passed on
checks='-*,bugprone-*,cert-*,clang-analyzer-*,readability-function-size'
for out in bugprone-easily-swappable-parameters bugprone-narrowing-conversions \
	bugprone-assignment-in-if-condition bugprone-sizeof-expression \
	bugprone-reserved-identifier cert-dcl37-c cert-dcl51-cpp cert-err33-c \
	clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling \
	clang-analyzer-security.insecureAPI.strcpy clang-analyzer-valist.Uninitialized; do
	checks=$checks,-$out
done
config='{CheckOptions: [{key: readability-function-size.LineThreshold, value: "60"}]}'

# tidy MORE-CHECKS SOURCE...
tidy() {
	more=$1
	shift
	# shellcheck disable=SC2086  # words are wanted
	[ $# -eq 0 ] || clang-tidy --quiet --warnings-as-errors='*' --checks="$checks$more" \
		--config="$config" "$@" -- $cppflags -std=gnu11 2>/dev/null || status=1
}

recorder='' rest=''
for source in "$@"; do
	case $source in
	libmemusage/*) recorder="$recorder $source" ;;
	*) rest="$rest $source" ;;
	esac
done

if command -v gcc >/dev/null 2>&1; then
	for source in "$@"; do
		# shellcheck disable=SC2086  # words are wanted
		gcc $cppflags -std=gnu11 -O2 -Wall -Wextra -Wno-unused-parameter -fanalyzer \
			-c -o /dev/null "$source"
	done 2>&1 | tee "$build/analyze.log"
	[ -s "$build/analyze.log" ] && status=1
else
	echo 'analyze: no gcc here, -fanalyzer left out' >&2
fi
if command -v clang-tidy >/dev/null 2>&1; then
	# The analyzer takes memory that a raw system call has written for garbage.
	# shellcheck disable=SC2086  # words are wanted
	tidy ',-clang-analyzer-core.UndefinedBinaryOperatorResult' $recorder
	# shellcheck disable=SC2086
	tidy '' $rest
else
	echo 'analyze: no clang-tidy here, left out' >&2
fi
exit $status
