#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
# What holds for the text of every source file: licence line, length, white space, functions that
# are not used, layout.  TAP.
use strict;
use warnings;

use constant LINES_MAX => 500;

my ($n, $failed) = (0, 0);

sub result {
	my ($name, @problems) = @_;
	$n++;
	$failed ||= @problems > 0;
	print "# $_\n" for @problems;
	print @problems ? 'not ' : '', "ok $n - $name\n";
}

sub lines {
	my $path = shift;
	open my $in, '<', $path or die "$path: $!\n";
	my @lines = <$in>;
	return @lines;
}

# Outside a git tree (an unpacked archive) whatever is there is looked at.
sub all_files {
	my @files = split /\0/, `git -c safe.directory='*' ls-files -coz --exclude-standard 2>/dev/null`;
	@files = split /\n/, `find . -path './build*' -prune -o -type f -print | sed 's,^./,,'` if !@files;
	return sort grep { -f && !-l } @files;
}

# Kept as they came, or as a peer sends them.
my @files = grep { !m{^tests/(data|golden)/} && !m{^tests/fuzz/(corpus/|crash-)} } all_files();
my @text = grep { -T } @files;
my @c = grep { /\.[ch]$/ } @files;
my @source = grep { /\.(c|h|sh|t|pl|py|awk|sql)$/ || m{(^|/)(Makefile|recipe)$} || -x } @text;

result('there are files to look at', @c > 10 && @source > 15 ? () : scalar(@files) . ' files');

result('every source file has its licence in the first three lines',
	grep { my @l = lines($_); "@l[0 .. ($#l < 2 ? $#l : 2)]" !~ /SPDX-License-Identifier: GPL-[23]/ }
	@source);

result('no source file is longer than ' . LINES_MAX . ' lines',
	map { my $l = () = lines($_); $l > LINES_MAX ? "$_: $l lines" : () } @source);

my @space;
for my $file (grep { !/\.patch$/ } @text) {
	my $i = 0;
	for (lines($file)) {
		$i++;
		push @space, "$file:$i: white space at the end of the line" if /[ \t\r]\n?$/;
	}
}
result('no line ends in white space', @space);

# Unbounded, without an error, or through a shell.
my $banned = qr/(?<![\w.>])(strcpy|strcat|v?sprintf|gets|ato[ilf]|system|popen)\s*\(/;
my @banned;
for my $file (@c) {
	my $text = join '', lines($file);
	# Comments and strings are blanked, but for their ends of lines.
	$text =~ s{(/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*")}{$1 =~ tr/\n//cdr}gse;
	my $i = 0;
	for (split /\n/, $text) {
		$i++;
		push @banned, "$file:$i: $1() is not used here" if /$banned/;
	}
}
result('no banned function is called', @banned);

# What is built into a system under test is laid out as that system is.
my @ours = grep { !m{^firmware-images/[^/]+/} } @c;
my ($version) = (`clang-format --version` // '') =~ /version (\d+)/;
if (!defined $version) {
	result('C files are laid out by clang-format', 'clang-format is missing');
} elsif ($version != 14) {
	# Versions lay out the same code differently; the tree follows 14.
	$n++;
	print "ok $n - C files are laid out by clang-format # SKIP version $version, not 14\n";
} else {
	my %said;
	for (`clang-format --dry-run --Werror @ours 2>&1`) {
		$said{$1} //= $2 if /^(.*?):(\d+):\d+: error:/;
	}
	result('C files are laid out by clang-format',
		map { "$_:$said{$_}: not laid out; run make format" } sort keys %said);
}

print "1..$n\n";
exit $failed;
