#!/usr/bin/perl
# attach.t -- the recorder of an attacher is what its loader understands: it needs no library, one
# symbol, three kinds of relocation, no constructor, and few thread-local variables.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

my $library = "$Lint::BUILD/lib/memusage/libmemusage_attach.so";
skip_all('no readelf here') unless command('readelf');
skip_all('it is built on x86-64 only') unless -e $library;

# Sources: memusage/attach/blob.c; recording/attach.h, MU_ATTACH_TLS_BYTES.
my %known = map { ("R_X86_64_$_" => 1) } qw(RELATIVE TPOFF64 GLOB_DAT);
my $tls_most = 512;

my @wanted = grep { !/^_r_debug$/ } map { /\bUND (\S+)/ ? $1 : () }
	qx(readelf -W --dyn-syms '$library');
check('it takes _r_debug from the process, and nothing else', @wanted);

my %kinds = map { /\s(R_\w+)\s/ ? ($1 => 1) : () } qx(readelf -W -r '$library');
check('its relocations are known', grep { !$known{$_} } sort keys %kinds);
ok($kinds{'R_X86_64_RELATIVE'} && $kinds{'R_X86_64_TPOFF64'}, '... and were found');

my @dynamic = qx(readelf -W -d '$library');
check('it needs no library and no constructor', map { s/\s+$//r }
	grep { /\((NEEDED|INIT|FINI|INIT_ARRAY|FINI_ARRAY|PLTRELSZ|TEXTREL)\)/ } @dynamic);
ok((grep { /\(GNU_HASH\)/ } @dynamic) == 1, 'its symbols can be looked up');

my ($filled, $size) = map { /^\s*TLS\s+(?:\S+\s+){3}(0x\w+)\s+(0x\w+)/ ? (hex $1, hex $2) : () }
	qx(readelf -W -l '$library');
ok(defined $size && $size > 0, 'it has thread-local variables');
ok(($size // $tls_most + 1) <= $tls_most, "... of no more than $tls_most bytes");
# attached_adopt_thread() knows one variable that is not zero at first: self.
ok(($filled // 0) == 8, '... of which one is not zero at first');

# Writable and executable at once is what systems forbid.
check('no part is writable and executable', grep { /^\s*LOAD.*\bRWE\b/ }
	qx(readelf -W -l '$library'));
done_testing();
