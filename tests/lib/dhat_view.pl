#!/usr/bin/perl
# dhat_view.pl VIEWER FILE DIRECTORY -- load a profile into DHAT's own viewer in a browser without a
# screen, the way that its button does, and select one metric after the other: what it shows of each
# goes to DIRECTORY/0, DIRECTORY/1 and so on, its name in the first line. Errors are printed; the
# exit status says whether there were any.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);

my ($viewer, $file, $directory) = @ARGV;
my ($browser) = grep { -x } map { ("$_/chromium", "$_/chromium-browser", "$_/google-chrome") }
	split /:/, $ENV{PATH};
die "no browser\n" unless $browser;

sub slurp {
	open my $in, '<:raw', $_[0] or die "$_[0]: $!\n";
	local $/;
	return <$in>;
}

# As base64: whatever the profile holds, it reaches the viewer as bytes of a file.
require MIME::Base64;
my $data = MIME::Base64::encode_base64(slurp($file), '');
my $page = slurp($viewer);
my $script = <<"END";
<script>
window.addEventListener("load", () => setTimeout(() => {
	let shown = [], failed = null;
	let bytes = Uint8Array.from(atob("$data"), c => c.charCodeAt(0));
	let list = new DataTransfer();
	window.onerror = (message) => { failed = message; finish(); };
	function finish() {
		document.body.textContent = "";
		let e = document.createElement("pre");
		e.id = "result";
		let text = JSON.stringify({ shown: shown, failed: failed });
		e.textContent = btoa(unescape(encodeURIComponent(text)));
		document.body.appendChild(e);
	}
	function all() {
		if (gMainDiv.textContent === "Loading...") {
			setTimeout(all, 50);
			return;
		}
		let options = gSelect.options;
		for (let i = 0; i < options.length; i++) {
			if (options[i].disabled)
				continue;
			gSelect.selectedIndex = i;
			displayTree();
			let pre = gMainDiv.querySelector("pre");
			shown.push({ label: options[i].text, number: i,
				     text: pre ? pre.textContent : gMainDiv.textContent });
		}
		finish();
	}
	list.items.add(new File([bytes], "dhat.out"));
	gInput.files = list.files;
	loadFile();
	setTimeout(all, 50);
}, 0));
</script>
END
$page =~ s{</head>}{$script</head>}i or $page .= $script;
for my $part (qw(dh_view.js dh_view.css)) {
	my $from = dirname(abs_path($viewer)) . "/$part";
	symlink $from, "$directory/$part";
}
open my $out, '>:raw', "$directory/view.html" or die "view.html: $!\n";
print $out $page;
close $out;
my $dom = qx{timeout 100 '$browser' --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \\
	--user-data-dir='$directory/browser' --virtual-time-budget=60000 \\
	--dump-dom 'file://$directory/view.html' 2>'$directory/browser.err'};
my ($result) = $dom =~ m{<pre id="result">([^<]*)</pre>} or die "the viewer said nothing\n";
require JSON::PP;
my $all = JSON::PP->new->utf8->decode(MIME::Base64::decode_base64($result));
die "the viewer failed: $all->{failed}\n" if $all->{failed};
for my $shown (@{ $all->{shown} }) {
	open my $to, '>:utf8', "$directory/$shown->{number}" or die "$!\n";
	print $to "$shown->{label}\n$shown->{text}";
	close $to;
}
print scalar @{ $all->{shown} }, " metrics\n";
