#!/usr/bin/perl
# shell.t -- shellcheck has no complaint about any script; until_true compares with nothing that was
# asked before it waits.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

skip_all('no shellcheck here') unless command('shellcheck');

# Finds scripts by their first line; the completions have none, bash reads them.
sub is_shell {
	my ($file) = @_;
	return slurp($file) =~ m{^#!/bin/(ba)?sh|^# shellcheck shell=}m;
}

# Version 0.7 has false complaints.
my ($version) = qx(shellcheck --version) =~ /^version: 0\.(\d+)/m;
skip_all('shellcheck is older than 0.9') if defined $version && $version < 9;

my $excluded = 'SC1090,SC1091,SC2154,SC2317,SC2329,SC2016,SC2002,SC2012,SC2010,SC2015,SC2094,SC3045';

chdir $Lint::SRC or die "$Lint::SRC: $!\n";
# Tests are started anywhere, source tap.sh by a variable, call functions by `run`, quote other
# languages' variables, count lines of ls, and use ulimit, which every sh of Debian has.
my @scripts = grep { is_shell($_) } files(qr/\.(sh|t)$|run$|^completions\/bash\//, '.');
# A run for many takes half the time of one for each, but reads what a script sources if that is
# among the others, which takes ten times as long: libraries are alone.
my (%is_suspect, @other);
for my $batch ([grep { !/\.sh$/ } @scripts], map { [$_] } grep { /\.sh$/ } @scripts) {
	open my $list, '-|', 'shellcheck', '-f', 'gcc', '-e', $excluded, '--', @$batch or die "shellcheck: $!\n";
	while (<$list>) {
		if (/^(.+?):\d+:\d+: /) { $is_suspect{$1} = 1 } else { push @other, $_ }
	}
	# It ends with 0 if it has no complaint, 1 if it has some.
	close $list;
	push @other, "it ended with status $?" if $? & ~0x100;
}
check('shellcheck read all scripts', @other);
for my $file (@scripts) {
	my @once = slurp($file) =~ /^(.*\buntil_true (?:test|\[) [^|&;\n]*\$\(.*)$/mg;
	# With -x, which reads what the file sources, too, it takes five times as long. That only
	# removes complaints: of variables that are set for a library, or by it.
	my @said = $is_suspect{$file} ? qx(shellcheck -x -P "\$PWD" -e $excluded -- '$file' 2>&1) : ();
	check($file, @once, @said);
}
done_testing();
