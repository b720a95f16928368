#!/usr/bin/perl
# options.t -- --help, the man page and the bash completion name the same long options.
#
# The man page's options are those that begin an entry of its section OPTIONS (any section whose
# title ends so).
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

sub help_options {
	my ($program) = @_;
	my %found;
	for (split /\n/, qx('$Lint::BUILD/bin/$program' --help=all </dev/null 2>/dev/null)) {
		# "  -d, --data=FILE     what it does": no mention of another option in the text.
		$found{$1} = 1 if /^\s{1,8}(?:-\S(?:\s?\w+)?, ?)?\s*--([a-z0-9][a-z0-9-]*)/;
	}
	return %found;
}

# In man(7): the line after .TP, or .IP's argument, within OPTIONS.
sub man_options {
	my ($file) = @_;
	my ($inside, $tag, %found) = (0, 0);
	for (split /\n/, slurp($file)) {
		s/\\-/-/g;
		s/\\f[A-Z]//g;
		# A subsection of OPTIONS belongs to it.
		$inside = /OPTIONS"?\s*$/ if /^\.SH/;
		$inside = 1 if /^\.SS.*OPTIONS"?\s*$/i;
		if ($inside && ($tag || /^\.(IP|TQ)/)) {
			$found{$1} = 1 while /(?:^|[^\w-])--([a-z0-9][a-z0-9-]*)/g;
		}
		$tag = /^\.T[PQ]/;
	}
	return %found;
}

# The options that bash offers for `PROGRAM --<Tab>`.
sub completed_options {
	my ($program) = @_;
	my $script = q{. "$1"; PATH=$3:$PATH
		COMP_WORDS=("$2" --) COMP_CWORD=1 COMP_LINE="$2 --" COMP_POINT=${#COMP_LINE}
		f=$(complete -p "$2" | sed 's/.*-F \([^ ]*\).*/\1/')
		"$f" "$2" -- "$2" && printf '%s\n' "${COMPREPLY[@]}"};
	my @arguments = ("$Lint::SRC/completions/bash/$program", $program, "$Lint::BUILD/bin");
	open my $in, '-|', 'bash', '--norc', '-c', $script, 'bash', @arguments or die "bash: $!\n";
	my %found = map { /^--([a-z0-9-]+)=?\s*$/ ? ($1 => 1) : () } <$in>;
	close $in;
	return %found;
}

# Both differences of two sets of options.
sub differences {
	my ($a, $a_name, $b, $b_name) = @_;
	return ((map { "--$_ is in $a_name, not in $b_name" } grep { !$b->{$_} } sort keys %$a),
		(map { "--$_ is in $b_name, not in $a_name" } grep { !$a->{$_} } sort keys %$b));
}

for my $program (qw(memusage memusagestat memusageprint memusageserve)) {
	next unless -x "$Lint::BUILD/bin/$program";
	my %help = help_options($program);
	ok(keys %help > 2, "$program --help lists options");
	my @brief = split /\n/, qx('$Lint::BUILD/bin/$program' --help </dev/null 2>/dev/null);
	my @named = map { /^ .*?--([a-z-]+)/ ? $1 : () } @brief;
	check("$program: --help names real options", grep { !$help{$_} } @named);
	ok(@named > 5 && @brief <= 30 && !grep({ length > 79 } @brief), '... on one page');
	if (ok(-e "$Lint::SRC/man/$program.1", "$program has a man page")) {
		my %man = man_options("man/$program.1");
		check("$program: man page", differences(\%help, '--help', \%man, 'the man page'));
	}
	if (!command('bash')) {
		skip('no bash here');
	} elsif (ok(-e "$Lint::SRC/completions/bash/$program", "$program has a bash completion")) {
		my %offered = completed_options($program);
		check("$program: completion",
			differences(\%help, '--help', \%offered, 'the completion'));
	}
}
done_testing();
