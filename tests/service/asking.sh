# SPDX-License-Identifier: Apache-2.0
# Sourced inside a container, behind tap.sh: who asks the service there, and what for. Wants a folder
# of the test's own in $scratch, and /test/copy.cl.
# shellcheck shell=bash
export NO_COLOR=1 SYSTEMD_COLORS=0 SYSTEMD_PAGER=

# as USER COMMAND...: with that user's groups, as of now. In the background, $! is the command's.
as() {
	local user=$1
	shift
	set -- setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups env HOME="/home/$user" "$@"
	[ $BASH_SUBSHELL -eq 0 ] || exec "$@"
	"$@"
}

# within SECONDS COMMAND...: it succeeds by then.
within() {
	local tries=$((10 * $1))
	shift
	while ! "$@" >"$scratch/within" 2>&1; do
		[ $((tries -= 1)) -gt 0 ] || {
			cat "$scratch/within" >&2
			return 1
		}
		sleep 0.1
	done
}

state_of() {
	systemctl show -P ActiveState "$1"
}

main_pid() {
	systemctl show -P MainPID predictd.service
}

# number KEY: the number of that key of the JSON on standard input.
number() {
	grep -o "\"$1\": *[0-9]*" | grep -o '[0-9]*$'
}

launch=(/test/copy.cl --device 0 --global 1048576 --local 64 --arg buffer:4M:r --arg buffer:4M:w)

# runs USER: how many runs of the kernel he has observed.
runs() {
	(as "$1" predictctl history /test/copy.cl --device 0 --json) | number total
}

# static_answer: what the model alone says, which a calibration determines.
static_answer() {
	(as alice predictctl predict "${launch[@]}" --static --json) | grep -E '"(basis|kernel_time_s|low_s|high_s)"'
}

# The paths on standard input that lie in no other of them.
outermost() {
	awk '{ for (i in seen) if (index($0, i "/") == 1) next; seen[$0]; print }'
}

ps_of() {
	local pid
	for pid in /proc/[0-9]*; do
		[ "$(stat -c %U "$pid" 2>/dev/null)" = "$1" ] && tr '\0' ' ' <"$pid/cmdline"
	done
}

# http USER SOCKET|PORT: what GET /metrics answers him, without its head.
http() {
	as "$1" perl -MIO::Socket::UNIX -MIO::Socket::INET -e '
		my $where = shift;
		my $to = $where =~ /^[0-9]+$/ ? IO::Socket::INET->new(PeerAddr => "127.0.0.1:$where")
			: IO::Socket::UNIX->new(Peer => $where);
		$to or die "$where: $!\n";
		print $to "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
		local $/;
		my ($head, $body) = split /\r\n\r\n/, <$to>, 2;
		$head =~ /^HTTP\/1.1 200 / or die "$head\n";
		print $body' "$2"
}

# As predictd(8) has it. Others may ask meanwhile.
listen_for_metrics() {
	systemctl daemon-reload && systemctl enable predictd-metrics.socket &&
		systemctl restart predictd.socket
}
