#!/bin/sh
# recorder_binding.t -- programs whose malloc is not where one expects it work as before, and
# the report says what is not seen.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"

# unharmed TEXT NOTE COMMAND...: the same output and status, and the note is in the report.
# $options are memusage's.
options=
unharmed() {
	unharmed_text=$1
	unharmed_note=$2
	shift 2
	run "$@"
	mv .out native.out
	native_status=$status
	# shellcheck disable=SC2086
	run memusage -o report $options -- "$@"
	same .out native.out "$unharmed_text: same output"
	is "$status" "$native_status" "$unharmed_text: same exit status"
	like "$(cat report)" "$unharmed_note" "$unharmed_text: the report says so"
}

# own TEXT OBJECT NOTE COMMAND...: a malloc of the program's is seen, or is left alone
own() {
	own_text=$1
	own_object=$2
	own_note=$3
	shift 3
	unharmed "$own_text" "$own_object brings its own malloc: [1-9][0-9]* functions" "$@"
	recorded "$own_text"
	options=--own-malloc=ignore
	unharmed "$own_text, ignored" "$own_note" "$@"
	options=
}

own 'malloc in the executable' ownmalloc 'the malloc of .*ownmalloc' ownmalloc
is "$native_status" 3 'it ran to its end'

unharmed 'malloc in the executable, with a lock' 'the malloc of .*lockmalloc' lockmalloc
like "$(cat report)" 'calls of free in lockmalloc are not seen: it is too short' 'and why'
is "$native_status" 3 'it ran to its end'

unharmed 'RTLD_DEEPBIND' 'libplain.so was opened with RTLD_DEEPBIND' \
	binder "$WORKLOADS/libplain.so" deep
recorded 'the rest of RTLD_DEEPBIND'
is "$native_status" 5 'it ran to its end'
is "$(report_field 10000-10015 count)" 4 'the blocks of the program are counted'
unharmed 'dlmopen' 'namespace of its own' binder "$WORKLOADS/libplain.so" namespace
recorded 'the rest of dlmopen'
is "$(report_field 10000-10015 count)" 3 'the blocks of the program are counted'
profiled 'dlopen of a -Bsymbolic library with its own malloc' \
	binder "$WORKLOADS/libown.so" now
like "$(cat report)" 'libown.so brings its own malloc' 'it is said'

cat >user.c <<'EOC'
#include <stdlib.h>
#include "tests/lib/workload.h"
extern int own_work(int);
extern char *own_give(void);
extern void own_take(char *);
int main(void)
{
	say("worked %d", own_work(20));
	free(own_give());
	own_take(malloc(900));
	free(malloc(5000));
	return 0;
}
EOC
if compiled "${CC:-cc}" -fno-builtin -I "$MU_SRC" -o user user.c "$WORKLOADS/libown.so" \
	-Wl,-rpath,"$WORKLOADS"; then
	own '-Bsymbolic' libown.so 'libown.so binds its own malloc' ./user
	is "$(report_field 4992-5007 count)" 1 '-Bsymbolic: the program itself is recorded'
	run memusage -o report -- ./user
	is "$(report_field malloc calls)" 23 '-Bsymbolic: every call is counted, once'
	is "$(report_field free calls)" 23 '-Bsymbolic: every free is counted, once'
fi

cat >plugin.cc <<'EOC'
#include <cstdint>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
extern "C" int plugin_work()
{
	std::map<int, std::string> map;
	for (int i = 0; i < 100; i++)
		map[i] = std::string(3000, 'x');
	int sum = 0;
	for (auto &entry : map)
		sum += entry.second.size();
	try {
		volatile std::size_t huge = PTRDIFF_MAX - 4096;
		operator delete(operator new(huge));
	} catch (const std::bad_alloc &) {
		sum++;
	}
	return sum;
}
EOC
if compiled "${CXX:-c++}" -O1 -shared -fPIC -o shared.so plugin.cc; then
	profiled 'C++ plugins, RTLD_LOCAL' plugin ./shared.so ./shared.so
	is "$(report_field 2992-3007 count)" 200 'C++ plugins: their blocks are counted'
fi
# Without its unique symbols a static run-time really goes when its plugin is closed.
echo '{ global: plugin_work; _Znwm; _ZdlPv; _ZdlPvm; local: *; };' >map
if ! has_library libstdc++.a; then
	skip 'no static libstdc++' 6
elif compiled "${CXX:-c++}" -O1 -shared -fPIC -static-libstdc++ -Wl,--version-script=map \
	-o static1.so plugin.cc; then
	cp static1.so static2.so
	profiled 'plugins with a runtime each' plugin ./static1.so ./static2.so ./static1.so
	is "$(report_field 2992-3007 count)" 300 'plugins with a runtime each: counted'
fi

profiled 'dlerror() is not disturbed' dlerror

# Such an executable has a stub of its own that stands for malloc's address.
cat >address.c <<'EOC'
#include <stdlib.h>
void *(*volatile make)(size_t) = malloc;
int main(void) { return make(100) == NULL || (void *)make != (void *)malloc; }
EOC
if compiled "${CC:-cc}" -no-pie -fno-pie -O1 -fno-builtin -o address address.c; then
	profiled 'the address of malloc, no PIE' ./address
	unlike "$(cat report)" 'not seen' 'the address of malloc, no PIE: no other malloc'
fi
done_testing
