#!/usr/bin/perl
# shell.t -- shellcheck has nothing to say about any script.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

skip_all('no shellcheck here') unless command('shellcheck');

# Scripts by their first line; the completions have none, bash reads them.
sub is_shell {
	my ($file) = @_;
	return slurp($file) =~ m{^#!/bin/(ba)?sh|^# shellcheck shell=}m;
}

chdir $Lint::SRC or die "$Lint::SRC: $!\n";
for my $file (grep { is_shell($_) } files(qr/\.(sh|t)$|run$|^completions\//, '.')) {
	# Tests are started anywhere, and source tap.sh by way of a variable.
	check($file, qx(shellcheck -x -P "\$PWD" -e SC1090,SC1091,SC2154 -- '$file' 2>&1));
}
done_testing();
