#!/usr/bin/perl
# image.t -- code that reads a recording copies each value, once, before it judges the value.
#
# The recorded program may write there at any moment. Pointers into a recording are for atomic loads,
# and for bytes whose values decide nothing: the callers of image_at() and image_entry()
# are listed here, with their purpose. All others use image_copy() and image_copy_entry(), whose copy
# does not change.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
use strict;
use warnings;
use lib $0 =~ m{^(.*)/};
use Lint;

my %may = (
	'profile/read/image.c' => 'makes the copies',
	'profile/read/batch.c' => 'atomic loads; where a cell lies',
	'profile/read/logmerge.c' => 'atomic loads and stores; words of the log, judged one by one',
	'profile/save/save.c' => 'bytes for a checksum',
	'profile/save/save_image.c' => 'bytes that are copied to a file as they are',
	'profile/read/accesses.c' => 'numbers that are added up',
	'profile/read/snapshot_values.c' => 'bytes that are read one after the other, once each',
	'memusage/record/live.c' => 'atomic loads and stores',
	'memusage/record/live_snapshot.c' => 'bytes that are copied as they are',
	'memusage/collector/tree_snapshots.c' => 'atomic loads and stores',
);

my %found;
for my $file (files(qr/\.c$/, qw(profile formats cli memusage memusagestat memusageprint memusageserve))) {
	my @calls = code(slurp($file)) =~ /\b(image_at|image_entry)\s*\(/g;
	$found{$file} = 1 if @calls;
	check($file, $may{$file} ? () : map { "$_() leads into the recording: image_copy() it" } @calls);
}
ok($found{$_}, "$_ still does: $may{$_}") for sort keys %may;
done_testing();
