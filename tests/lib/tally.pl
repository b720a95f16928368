#!/usr/bin/perl
# tally.pl JSON DIR -- compare what a recording says of the processes of tests/workloads/tally.c with
# their own tallies. Prints what is wrong, and at the end how many processes there were.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use JSON::PP;

my ($json, $directory) = @ARGV;
open my $in, '<', $json or die "$json: $!\n";
my $data = decode_json(do { local $/; <$in> });
my %live; # of the last image of a process; all blocks have 64 bytes
for my $process (@{$data->{processes} // []}) {
	$live{$process->{pid}} = $process->{own_live};
}
my $checked = 0;
for my $file (glob "$directory/*.*") {
	my ($pid, $number) = $file =~ m{/(\d+)\.(\d)$} or next;
	open my $tally, '<:raw', $file or die "$file: $!\n";
	local $/;
	my @count = unpack 'Q<4', <$tally> // '';
	next if @count < 4 || $count[1] == 0;
	# Of a child that ended by exec, or is between fork and exec, nothing is known here.
	next if $number == 0 && -e "$directory/$pid.1";
	$checked++;
	if (!defined $live{$pid}) {
		print "process $pid is missing (@count)\n";
		next;
	}
	# A new thread's own blocks, and the list of modules of dlopen, are the C library's.
	my $least = ($count[1] - $count[2]) * 64;
	my $most = ($count[0] - $count[3]) * 64 + 4096;
	print "process $pid: $live{$pid} bytes live, must be $least to $most (@count)\n"
		if $live{$pid} < $least || $live{$pid} > $most;
}
print "checked $checked\n";
