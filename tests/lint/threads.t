#!/usr/bin/perl
# threads.t -- the tools have one thread each, with three exceptions. The collector has two per arena, which
# memusage/record/futex_watch.c starts: they share nothing with the loop but struct waker and the arena's header, by
# atomic operations (docs/design.md, "The collector's threads"). A merge reads recordings by several threads, which
# profile/merge/merge_readers.c starts and ends (docs/design.md, "Merging processes"). An examiner has another one,
# memusage/examine/stall_watch.c, which only reads its clock and ends it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

my %may = ('memusage/record/futex_watch.c' => 1, 'profile/merge/merge_readers.c' => 1,
	'memusage/examine/stall_watch.c' => 1);
my %starts;

for my $file (files(qr/\.c$/, qw(profile formats cli memusage memusagestat memusageprint memusageserve))) {
	my @calls = code(slurp($file)) =~ /\b(pthread_create|thrd_create|clone3?|timer_create)\s*\(/g;
	$starts{$file} = 1 if @calls;
	check($file, $may{$file} ? () : map { "$_() makes a thread" } @calls);
}
ok($starts{$_}, "$_ does") for sort keys %may;

# Code of a thread names fields of the shared header only in atomic operations and futex calls.
my $text = code(slurp('memusage/record/futex_watch.c'));
my @plain = grep { !/__atomic_\w+\(|SYS_futex|futex_wait\(/ && /shared->/ } split /\n/, $text;
check('memusage/record/futex_watch.c: the header is shared by atomic operations', @plain);
done_testing();
