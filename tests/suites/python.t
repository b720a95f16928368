#!/bin/sh
# python.t -- the tests of CPython hold under memusage in each mode, if they hold alone: those of
# processes, threads, signals, descriptors and mappings, and those of the big extension modules.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/suites.sh"
need_bin memusage
python=/usr/bin/python3 # of which Debian has the tests
[ -x $python ] && $python -c 'import test.test_os' 2>/dev/null ||
	skip_all 'the package libpython3.*-testsuite is not installed'

for test in os posix subprocess signal threading thread threadsignals fork1 wait3 wait4 mmap \
	resource select selectors epoll poll asyncore eintr faulthandler gc weakref ctypes \
	multiprocessing_fork concurrent_futures queue pty openpty fcntl file io tempfile zlib bz2 \
	lzma sqlite3 json pickle re unicode bytes dict list set memoryio memoryview array struct \
	decimal hashlib xml_etree pyexpat readline locale time tracemalloc code import sys atexit \
	exceptions posixpath shutil glob ssl; do
	holds "$test" $python -m test --timeout "$((MU_SUITE_SECONDS * 9))" "test_$test"
done
end_suite 40
