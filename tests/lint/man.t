#!/usr/bin/perl
# man.t -- the man pages are well formed, and have the usual sections.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

my %sections = (
	1 => ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'EXAMPLES', 'OPTIONS', 'EXIT STATUS',
		'ENVIRONMENT', 'FILES', 'BUGS', 'SEE ALSO'],
	5 => ['NAME', 'DESCRIPTION', 'SEE ALSO'],
);

sub missing_sections {
	my ($file) = @_;
	my ($number) = $file =~ /(\d)$/;
	my %has = map { $_ => 1 } slurp($file) =~ /^\.SH\s+"?(.*?)"?\s*$/mg;
	return map { "no section $_" } grep { !$has{$_} } @{$sections{$number}};
}

chdir $Lint::SRC or die "$Lint::SRC: $!\n";
for my $file (files(qr/\.[15]$/, 'man')) {
	check("$file: sections", missing_sections($file));
	if (command('mandoc')) {
		# Pages of other packages may be installed or not.
		my @said = grep { !/referenced manual not found|unknown manual section/ }
			qx(mandoc -T lint -W warning '$file' 2>&1);
		check("$file: mandoc", @said);
	} else {
		skip('no mandoc here');
	}
	if (command('groff')) {
		check("$file: groff", qx(groff -man -ww -z -T utf8 '$file' 2>&1));
	} else {
		skip('no groff here');
	}
}
done_testing();
