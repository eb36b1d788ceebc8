#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# In QEMU's place (VERBATIM_QEMU) and no guest at all: a program that speaks the
# event stream. It calls every step of every variant as expected, until the first
# place of a run does once what $TRICK says. Only damaged streams are made so.
use strict;
use warnings;
use IO::Handle;
use JSON::PP;

my ($fd) = map { /^socket,id=events,fd=(\d+)/ ? $1 : () } @ARGV;
exit 0 unless defined $fd;	# asked for its version
my ($console) = map { m{^file,id=console,path=([^,]+)} ? $1 : () } @ARGV;
open(my $line, "+>&=", $fd) or die;
my ($seq, $key, $trick, $ran) = (0, undef, $ENV{TRICK}, 0);
$line->autoflush(1);

sub raw { syswrite($line, $_[0]) }
sub text { encode_json({seq => ++$seq, ms => 1, @_}) }
sub say_event { raw((defined $key ? "$key " : "") . text(@_) . "\n") }
sub leave { say_event(event => "end", events => $seq + 1, broken => JSON::PP::false) }
sub on_console { open(my $c, ">>", $console) or die; print $c @_; close $c }

# Once a run.
sub tricks {
	return 0 if $trick ne $_[0];
	mkdir "$ENV{STATE}/tricked" or return 0;
	return 1;
}

my $oops = "[    9.9] BUG: kernel NULL pointer dereference, address: 0010\r\n" .
	"[    9.9] RIP: 0010:free_rd_atomic_resource+0x1/0x2\r\n";
my $panic = $oops . "[    9.9] Kernel panic - not syncing: Fatal exception\r\n";
on_console("[    0.1] WARNING: this kernel boots with a complaint, as some do\r\n");

say_event(event => "hello", version => "0", kernel => "7", page_size => 4096);
my $job = decode_json(scalar <$line>);
$key = $job->{key};
say_event(event => "layout", layout => "netns");
if ($job->{job} eq "exec") {
	say_event(event => "fabric", hosts => 2, layout => "netns", build_ms => 1,
		  reused => JSON::PP::false);
	say_event(event => "exit", host => $job->{commands}[$_]{host}, command => $_, status => 0)
		foreach 0 .. $#{$job->{commands}};
	leave();
	# There is one place only, and it may not be able to write.
	on_console($panic) if $trick eq "panic-after-end";
	exit 0;
}
say_event(event => "run", scenarios => 1, target => "system");

while (defined(my $in = <$line>)) {
	$in =~ s/^\Q$key\E // or die "a line without its key" if defined $key;
	my $v = decode_json($in);
	last if $v->{end};
	my @of = (variant => $v->{number}, name => $v->{name});
	my @step;

	say_event(event => "scenario", @of, map { $_ => $v->{$_} } qw(id title path clauses));
	exit 1 if tricks("die-within");
	on_console($oops), exit 1 if tricks("oops-within");
	leave(), exit 0 if tricks("end-within");
	on_console($panic), exit 0 if tricks("panic-within");
	foreach my $i (0 .. $#{$v->{items}}) {
		my $item = $v->{items}[$i];
		@step = (@of, line => 1, col => 1, host => $v->{actors}[$item->{actor}],
			 call => $item->{step}, index => $i);
		say_event(event => "step", @step, args => {}, result => undef, us => 1,
			  ok => tricks("not-ok") ? JSON::PP::false : JSON::PP::true);
	}
	say_event(event => "fail", @step, field => "return", expected => "1", actual => "2")
		if tricks("fail");
	say_event(event => "kernel", @of, level => 4, text => "BUG: it", bad => JSON::PP::true)
		if tricks("complaint");
	say_event(event => "verdict", @of, verdict => tricks("xfail") ? "XFAIL" : "PASS",
		  reason => undef, took_ms => 1, own_us => 1);
	$ran = 1;
	exit 1 if tricks("die");
	on_console($panic), exit 0 if tricks("panic");
	raw("garbage\n") if tricks("garbage");
	raw(text(event => "layout", layout => "netns") . "\n") if tricks("no-key");
	say_event(event => "nonsense") if tricks("unknown");
	say_event(event => "layout", layout => "netns"), $seq-- if tricks("gap");
	leave(), exit 0 if tricks("end-early");
}
# Of two places one may have had nothing to run: then the other one does it.
sub tricks_at_end { return $ran && tricks($_[0]) }
exit 1 if tricks_at_end("die-at-the-end");
my $late = tricks_at_end("after-end");
leave();
on_console($oops) if tricks_at_end("oops-after-end");
on_console($panic) if tricks_at_end("panic-after-end");
say_event(event => "layout", layout => "netns") if $late;
raw("{") if tricks_at_end("half-after-end");
