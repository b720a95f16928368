#!/usr/bin/perl
# symbols.t -- the libraries and symbols with which the recorder and the programs are linked.
#
# libmemusage.so exports exactly the names of tests/lint/exports.txt. It and libmemusage_accesses.so
# import only from the C library, and only the names of tests/lint/imports.txt, which says
# when each is called and why it may be. They need no text relocation, reach their
# thread-local variables without a call, and need nothing that glibc 2.31 lacks. memusage
# starts its siblings: it is linked with neither libgd nor libdw.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

# Parts of the C library; several of them are one file since glibc 2.34.
my $libc = qr/^(libc\.so\.6|ld-linux[\w.-]*|lib(dl|pthread|rt)\.so\.\d+)$/;
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

# tests/lint/imports.txt: name => { when, files, why }.
sub reviewed_imports {
	my (%list, $name, @bad);
	for (split /\n/, slurp('tests/lint/imports.txt')) {
		next if /^#/ || !/\S/;
		if (/^(\w+)\t(start|named|any|data|made)\t(\S.*)$/) {
			push @bad, "$1 is there twice" if $list{$1};
			$name = $1;
			$list{$name} = { when => $2, files => $3 eq '-' ? '' : $3, why => '' };
		} elsif (/^\t(\S.*)$/ && defined $name) {
			$list{$name}{why} .= $1;
		} else {
			push @bad, "not understood: $_";
		}
	}
	push @bad, map { "no reason for $_" } grep { !$list{$_}{why} } sort keys %list;
	check('tests/lint/imports.txt can be read', @bad);
	return %list;
}

# Objects of files that have moved since stay in the build.
sub has_source {
	my ($file) = @_;
	return grep { -e "$Lint::SRC/libmemusage/$file.$_" } qw(c S);
}

# The files of the recorder that name an undefined symbol: name => 'file file'.
sub users_of_imports {
	my %users;
	my $folder = "$Lint::BUILD/pic/libmemusage";
	for my $object (sort(glob("$folder/*/*.o"), glob("$folder/*/$_[0]/*.o"))) {
		my ($file) = $object =~ m{^\Q$folder\E/(.+)\.o$};
		next if $file =~ m{^(hooks|emulator)/} || !has_source($file);
		for (qx(readelf -W -s '$object')) {
			push @{ $users{$1} }, $file if /\sUND\s+(\w+)\s*$/;
		}
	}
	return map { $_ => join ' ', @{ $users{$_} } } keys %users;
}

# The recorder's own objects must not call what it interposes: the call would be counted.
sub self_calls {
	my %interposed = map { $_ => 1 } @_;
	my @found;
	my $folder = "$Lint::BUILD/pic/libmemusage";
	for my $object (glob("$folder/*/*.o $folder/*/*/*.o")) {
		for (qx(readelf -W -s '$object')) {
			my ($name) = /\sUND\s+(\w+)\s*$/ or next;
			push @found, "$object calls $name" if $interposed{$name};
		}
	}
	return @found;
}

my @symbols = dynamic_symbols($so);
my %exported = map { $_->[0] => 1 } grep { $_->[1] } @symbols;
my %reviewed = reviewed_imports();
chomp(my $machine = qx(uname -m));
my %users = users_of_imports($machine);
my %allowed = map { $_ => 1 } allowed_exports();
my $dynamic = qx(readelf -W -d '$so');

check('exports nothing but what it interposes',
	map { "exports $_" } grep { !$allowed{$_} } sort keys %exported);
check('exports all that it interposes',
	map { "does not export $_" } grep { !$exported{$_} } sort keys %allowed);
for my $library ($so, "$Lint::BUILD/lib/memusage/libmemusage_accesses.so") {
	my ($file) = $library =~ m{([^/]+)$};
	if (!-e $library) {
		skip("$file is built on x86-64 only");
		next;
	}
	# glibc 2.31 has a third name of it, of which linkers take the first that they find.
	my %imported = map { $_->[0] =~ s/^_environ$/__environ/r => 1 }
		grep { !$_->[1] } dynamic_symbols($library);
	check("$file imports nothing that was not reviewed", map { "imports $_" }
		grep { !$reviewed{$_} } sort keys %imported);
	check("$file imports all that was reviewed", map { "does not import $_" }
		grep { $reviewed{$_}{when} ne 'made' && !$imported{$_} } sort keys %reviewed);
	check("$file is linked with the C library only", grep { !/$libc/ } needed($library));
}
check('each is named in the reviewed files alone', map {
	my $used = $users{$_} // '';
	$used eq $reviewed{$_}{files} ? () : "$_: in $used, reviewed in $reviewed{$_}{files}"
} sort keys %reviewed);
check('calls nothing that it interposes', self_calls(keys %allowed));
ok($dynamic !~ /TEXTREL/, 'has no text relocations');
ok($dynamic =~ /BIND_NOW|\bNOW\b/, 'is bound at load time');
ok($dynamic =~ /STATIC_TLS/ || qx(readelf -W -l '$so') !~ /^\s+TLS\s/m,
	'its thread-local variables are of the initial-exec model');
ok(qx(readelf -W -l '$so') =~ /GNU_STACK\s.*\sRW\s/, 'wants no executable stack');

# Patched code calls the recorder where vector registers are live (docs/design.md, "Patching").
my @vectors = qx(objdump -d --no-show-raw-insn '$so') =~ /%[xyz]mm\d+|%mm\d|\bf[ls]tp?\b/g;
ok(!@vectors, 'uses no vector or x87 register');

# ld.so ends a program whose preloaded library needs a later version of the C library.
sub is_newer {
	my ($major, $minor) = $_[0] =~ /GLIBC_(\d+)\.(\d+)/ or return 0;
	return $major > 2 || $minor > 31;
}
for my $library ($so, grep { -e } "$Lint::BUILD/lib/memusage/libmemusage_accesses.so",
	"$Lint::BUILD/lib/memusage/libmemusage_hooks.so") {
	my ($name) = $library =~ m{([^/]+)$};
	check("$name runs with glibc 2.31, wherever it was built",
		grep { is_newer($_) } qx(readelf -W --version-info '$library') =~ /Name: (GLIBC_\S+)/g);
}

my $memusage = "$Lint::BUILD/bin/memusage";
die "$memusage was not built\n" unless -e $memusage;
check('memusage is linked with neither libgd nor libdw',
	grep { /^lib(gd|png|z|dw|elf)\b/ } needed($memusage));
done_testing();
