#!/usr/bin/perl
# symbols.t -- what the recorder and the programs are linked with.
#
# libmemusage.so exports exactly the names of tests/lint/exports.txt, imports from the C library
# alone and nothing there that allocates or uses stdio, needs no text relocation, and reaches
# its thread-local variables without a call. memusage starts its siblings: it is linked with
# neither libgd nor libdw.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

# Parts of the C library; several of them are one file since glibc 2.34.
my $libc = qr/^(libc\.so\.6|ld-linux[\w.-]*|lib(dl|pthread|rt)\.so\.\d+)$/;
# Put there by the compiler's start files.
my $start_files = qr/^(_ITM_(de)?registerTMCloneTable|__cxa_finalize|__gmon_start__)$/;
my $forbidden = qr/^(
	__tls_get_addr | abort | exit | atexit | __cxa_atexit | __assert_fail | qsort | strdup
	| (__)?(v?[fds]?n?printf)(_chk)? | v?asprintf | puts | putchar | perror | std(out|err)
	| f(open|write|read|puts|putc|flush|close) | getline | opendir | strerror | popen | system
)$/x;

my $so = "$Lint::BUILD/lib/memusage/libmemusage.so";
skip_all('no readelf here') unless command('readelf');
die "$so was not built\n" unless -e $so;

# The dynamic symbols of a file: [name, is_defined].
sub dynamic_symbols {
	my @found;
	for (qx(readelf -W --dyn-syms '$_[0]')) {
		my ($section, $name) = /^\s*\d+:(?:\s+\S+){5}\s+(\S+)\s+(\S+)/ or next;
		$name =~ s/@.*//;
		push @found, [$name, $section ne 'UND'];
	}
	return @found;
}

sub needed {
	return map { /\(NEEDED\).*\[(.*)\]/ ? $1 : () } qx(readelf -W -d '$_[0]');
}

sub allowed_exports {
	return grep { /^\w/ } split /\n/, slurp('tests/lint/exports.txt');
}

# The recorder's own objects must not call what it interposes: the call would be counted.
sub self_calls {
	my %interposed = map { $_ => 1 } @_;
	my @found;
	my $folder = "$Lint::BUILD/pic/libmemusage";
	for my $object (glob("$folder/*.o $folder/*/*.o")) {
		for (qx(readelf -W -s '$object')) {
			my ($name) = /\sUND\s+(\w+)\s*$/ or next;
			push @found, "$object calls $name" if $interposed{$name};
		}
	}
	return @found;
}

my @symbols = dynamic_symbols($so);
my %exported = map { $_->[0] => 1 } grep { $_->[1] } @symbols;
my @imported = grep { !/$start_files/ } map { $_->[0] } grep { !$_->[1] } @symbols;
my %allowed = map { $_ => 1 } allowed_exports();
my $dynamic = qx(readelf -W -d '$so');

check('exports nothing but what it interposes',
	map { "exports $_" } grep { !$allowed{$_} } sort keys %exported);
check('exports all that it interposes',
	map { "does not export $_" } grep { !$exported{$_} } sort keys %allowed);
check('imports nothing that allocates, prints or ends the program',
	map { "imports $_" } grep { /$forbidden/ } @imported);
check('is linked with the C library only', grep { !/$libc/ } needed($so));
check('calls nothing that it interposes', self_calls(keys %allowed));
ok($dynamic !~ /TEXTREL/, 'has no text relocations');
ok($dynamic =~ /BIND_NOW|\bNOW\b/, 'is bound at load time');
ok($dynamic =~ /STATIC_TLS/ || qx(readelf -W -l '$so') !~ /^\s+TLS\s/m,
	'its thread-local variables are of the initial-exec model');
ok(qx(readelf -W -l '$so') =~ /GNU_STACK\s.*\sRW\s/, 'wants no executable stack');

# Patched code calls the recorder where vector registers are live (docs/design.md, "Patching").
my @vectors = qx(objdump -d --no-show-raw-insn '$so') =~ /%[xyz]mm\d+|%mm\d|\bf[ls]tp?\b/g;
ok(!@vectors, 'uses no vector or x87 register');
check('leaves no string function on the way of an event to libc',
	map { "imports $_" } grep { /^(__)?(mem(cpy|move|set|cmp)|strlen)(_chk)?$/ } @imported);

my $memusage = "$Lint::BUILD/bin/memusage";
die "$memusage was not built\n" unless -e $memusage;
check('memusage is linked with neither libgd nor libdw',
	grep { /^lib(gd|png|z|dw|elf)\b/ } needed($memusage));
done_testing();
