# SPDX-License-Identifier: Apache-2.0
# Sourced by debian/tests, in the tree's root: users, and a device that is calibrated.
# shellcheck shell=sh
set -eu
scratch=$AUTOPKGTEST_TMP
export NO_COLOR=1

# die WORDS...
die() {
	printf '%s\n' "$*" >&2
	exit 1
}

# as USER COMMAND...: with the groups that he has now.
as() {
	user=$1
	shift
	setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups env HOME="/home/$user" "$@"
}

# of the clients' group, and of none
id member >/dev/null 2>&1 || useradd --create-home member
id outsider >/dev/null 2>&1 || useradd --create-home outsider
usermod -aG predictd-clients member
chmod 755 "$scratch"
systemctl enable --now predictd.socket
predictctl devices --json | grep -q '"calibrated": true' || predictctl calibrate 0 --quick
cp tests/kernels/copy.cl "$scratch/"
launch="$scratch/copy.cl --device 0 --global 1048576 --local 64 --arg buffer:4M:r --arg buffer:4M:w"
