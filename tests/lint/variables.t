#!/usr/bin/perl
# variables.t -- a module of the recorder keeps what it remembers in few places: one variable of its
# own, one that its header shares, and one for each thread, each a structure if it has several parts.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

my $folder = "$Lint::BUILD/pic/libmemusage";
skip_all('no readelf here') unless command('readelf');

# Variables beyond that, and why there are two.
my %apart = (
	# Only `gate` is in a page that the kernel wipes in a child.
	'image/recorder gate' => 1,
	# In the place of libc's, in the recorder of an attacher.
	'attach/libc environ' => 1, 'attach/libc program_invocation_short_name' => 1,
	# The linker collects these from all modules.
	map { ("interpose/$_ real_part" => 1) }
		qw(interpose_exit interpose_locked interpose_main interpose_new interpose_signal
			interpose_strdup interpose_wait),
);
my %used;

# The variables of an object that can change: [name, kind].
sub variables {
	my ($object) = @_;
	my (%changes, %seen, @found);
	for (qx(readelf -W -S '$object')) {
		my ($number, $name, $flags) =
			/^\s*\[\s*(\d+)\]\s+(\S+)\s+\w+(?:\s+[0-9a-f]+){4}\s+(\w*)/ or next;
		$changes{$number} = 1 if $flags =~ /W/ && $name !~ /^\.data\.rel\.ro/;
	}
	for (qx(readelf -W -s '$object')) {
		my ($type, $bind, $section, $name) =
			/^\s*\d+:\s+\S+\s+\S+\s+(OBJECT|TLS)\s+(\w+)\s+\w+\s+(\d+)\s+(\S+)/ or next;
		next if !$changes{$section} || $name =~ /^__/;
		$name =~ s/\.\d+$//; # clang makes several of a structure
		next if $seen{$name}++;
		push @found, [$name, $type eq 'TLS' ? 'for each thread' :
			$bind eq 'LOCAL' ? 'of its own' : 'shared'];
	}
	return @found;
}

for my $file (files(qr/\.c$/, 'libmemusage')) {
	my ($module) = $file =~ m{^libmemusage/(.+)\.c$};
	my %of;
	next unless -e "$folder/$module.o";
	for (variables("$folder/$module.o")) {
		my ($name, $kind) = @$_;
		push @{ $of{$kind} }, $name unless $apart{"$module $name"} && ($used{"$module $name"} = 1);
	}
	check($file, map { "variables $_: @{ $of{$_} }" } grep { @{ $of{$_} } > 1 } sort keys %of);
}
check('each exception is needed', grep { !$used{$_} } sort keys %apart);
done_testing();
