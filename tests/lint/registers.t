#!/usr/bin/perl
# registers.t -- patched code calls the recorder where vector registers are live: from there every
# way to a function of libc leads through vectors_preserve(), which saves them.
#
# The test walks the calls in the object code from the entries of patched code. A function whose
# address is taken counts as called. symbols.t checks that the recorder's own code uses general
# registers only, and which functions of libc it calls at all.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

my $so = "$Lint::BUILD/lib/memusage/libmemusage.so";
chomp(my $machine = qx(uname -m));
skip_all('code is changed on x86-64 only') unless $machine eq 'x86_64';
skip_all('objdump is not installed') unless command('objdump');
skip_all('clang calls by registers, of which objdump does not tell')
	if qx(readelf -p .comment '$so') =~ /clang/;

# patch_objects_entry is no such entry: ld.so makes an ordinary call there.
my $start = qr/^(macros_entry|patch_entry_common|patch_entry_returned|(before|after)_\w+|
	check_thresholds)$/x;

# Functions that run once, before the first event of a process or thread, by vectors_preserve():
# only entry_enter(), serve_memory_request() and serve_leak_request() lead there.
my %once = map { $_ => 1 } qw(recorder_start recorder_announce recorder_restart thread_attach);
my $leads_there = 'hook_enter_slow';
my %may_lead = map { $_ => 1 } qw(entry_enter enter_hook macros_serve serve_memory_request
	record_request find_caller);

# Calls by a pointer, except those of a switch.
my %pointer = (
	patch_entry_common => 'the function itself, behind all that is saved',
	patch_entry_returned => 'likewise',
	entry_before => 'the hooks before_NAME', entry_after => 'the hooks after_NAME',
	before_syscall => 'hooks', clock_ns => 'the kernel\'s, for general registers',
	ask_dynamic_linker => 'by vectors_preserve(), see find_object_of()',
	loaded_find => 'by ask_dynamic_linker() only', search_object_list => 'by loaded_find() only',
	vectors_preserve_in => 'what it was given',
	preserve_on_stack => 'likewise', preserve_in_area => 'likewise',
	request_histogram_at => 'our own', instructions_read => 'our own',
	cfi_evaluate => 'a callback of ours', walk_slow_caller => 'likewise',
	snapshots_thresholds => 'check_thresholds()',
	maps_for_each => 'a callback of ours', thread_for_each => 'likewise',
);
my $harmless = qr/<__errno_location[@>]/;

# By address: two files may have functions of the same name.
my (%code, %name, $function);
for (qx(objdump -d --no-show-raw-insn '$so')) {
	if (/^([0-9a-f]+) <(.+)>:$/) {
		$function = hex $1;
		$name{$function} = $2 =~ s/\.(constprop|isra|part|cold)\b.*//r;
	} elsif (defined $function && /^\s+[0-9a-f]+:\t(.*)/) {
		# Before binutils 2.37 these end in q.
		push @{ $code{$function} }, $1 =~ s/^((?:notrack )?(?:call|jmp|ret))q\b/$1/r;
	}
}

# True if a jump is that of a switch, as compilers make it: a table of distances, added to itself.
sub is_switch {
	my ($code, $i) = @_;
	my ($by) = $code->[$i] =~ /^(?:notrack )?jmp\s+\*(%\w+)$/ or return 0;
	return !!grep { $code->[$_] =~ /^add\s+%\w+,\Q$by\E$/ } ($i > 4 ? $i - 4 : 0) .. $i - 1;
}

my (%from, @bad);
my @todo = grep { $name{$_} =~ $start } sort { $a <=> $b } keys %name;
$from{$_} = '' for @todo;
ok(@todo > 10, 'there are ways in');
while (defined(my $f = shift @todo)) {
	my $code = $code{$f} // [];
	for my $i (0 .. $#$code) {
		local $_ = $code->[$i];
		push @bad, "$name{$f}$from{$f}: $_"
			if /\b(call|jmp)\s+\*|\@plt/ && !/$harmless/ && !$pointer{ $name{$f} } &&
			!is_switch($code, $i);
		next unless /\b(?:call|j\w+)\s+([0-9a-f]+) <[^>+]+>/ ||
			/\blea\s.*# ([0-9a-f]+) <[^>+]+>/;
		my $to = hex $1;
		next unless $code{$to};
		push @bad, "$name{$f} leads to $leads_there"
			if $name{$to} eq $leads_there && !$may_lead{ $name{$f} };
		next if exists $from{$to} || $once{ $name{$to} };
		$from{$to} = " < $name{$f}$from{$f}";
		push @todo, $to;
	}
}
ok(keys %from > 100, 'finds what is called');
check('no way leads to libc', @bad);
done_testing();
