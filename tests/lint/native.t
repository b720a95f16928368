#!/usr/bin/perl
# native.t -- functions that the plugin calls in an emulated process (emulated_event.h) neither leave
# the recorder's code nor use thread-local variables, except in functions that are not reached then.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

my $so = "$Lint::BUILD/lib/memusage/libmemusage.so";
chomp(my $machine = qx(uname -m));
skip_all('only the x86-64 recorder runs beside an emulator') unless $machine eq 'x86_64';
skip_all('objdump is not installed') unless command('objdump');
skip_all('clang calls by registers, of which objdump does not tell')
	if qx(readelf -p .comment '$so') =~ /clang/;
my $start = 'emulated_event_answer';

# Functions that return before they reach these.
my %guarded = (
	rules_make => 'known_only', walk_slow => 'known_only', find_or_add_site => 'known_only',
	coarse_clock_advance => 'known_only',
	stack_memory_enter => 'walk_is_on', stack_memory_is_own => 'walk_is_on',
	snapshots_peak => 'waits', snapshots_take => 'waits', snapshots_before_tick => 'waits',
	take_due_snapshot => 'waits', snapshots_thresholds => 'waits',
	points_time_slow => 'the clock',
	log_append_slow => 'the mode', stack_sum_note => 'the mode', stack_sum_note_slow => 'the mode',
	event_extra_marked => 'MU_BIRTH_OUTER',
);

# By address: two files may have functions of the same name.
my (%code, %name, $function);
for (qx(objdump -d --no-show-raw-insn '$so')) {
	if (/^([0-9a-f]+) <(.+)>:$/) {
		$function = hex $1;
		$name{$function} = $2;
	} elsif (defined $function && /^\s+[0-9a-f]+:\t(.*)/) {
		# Older binutils name the size: callq, jmpq.
		push @{ $code{$function} }, $1 =~ s/\b(call|jmp)q\b/$1/r;
	}
}
my ($first) = grep { $name{$_} eq $start } keys %name;
ok($first, "there is $start");

# A jump through the table of a switch, as compilers make it: its own distances, added to itself.
sub is_switch {
	my ($code, $i) = @_;
	return $code->[$i] =~ /^(?:notrack )?jmp\s+\*(%\w+)$/ && $i >= 2 &&
		$code->[$i - 1] =~ /^add\s+(%\w+),\Q$1\E$/ &&
		$code->[$i - 2] =~ /^movslq \(\Q$1\E,%\w+,4\),/;
}

my (%from, @bad);
my @todo = ($first // ());
$from{$first} = '' if $first;
while (defined(my $f = shift @todo)) {
	next if $guarded{ $name{$f} };
	my $code = $code{$f} // [];
	for my $i (0 .. $#$code) {
		local $_ = $code->[$i];
		push @bad, "$name{$f}$from{$f}: $_"
			if /%fs:|\b(call|jmp)\s+\*|\@plt/ && !is_switch($code, $i);
		next unless /\b(?:call|j\w+)\s+([0-9a-f]+) <[^>+]+>/;
		my $to = hex $1;
		next if exists $from{$to};
		$from{$to} = " < $name{$f}$from{$f}";
		push @todo, $to;
	}
}
ok(keys %from > 20, 'finds what is called');
check('stays in the recorder', @bad);
done_testing();
