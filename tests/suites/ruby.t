#!/bin/sh
# ruby.t -- the tests of ruby's core hold under memusage in each mode, if they hold alone.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/suites.sh"
need_bin memusage
need ruby apt-get
version=$(ruby -e 'puts RUBY_VERSION[/^[0-9]+\.[0-9]+/]')
fetch_source "ruby$version"
cd "$source" || exit 1
for test in test/ruby/test_*.rb; do
	holds "$test" ruby -I tool/lib -I test/lib test/runner.rb --ruby="$(command -v ruby)" "$test"
done
end_suite 60
