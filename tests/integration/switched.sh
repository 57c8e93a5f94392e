#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# predictctl layer: sessions of a user load the layer from one command to another, and his own lines stay.
. "$SOURCE_ROOT/tests/integration/common.sh"

export HOME=$scratch/home PREDICTD_LAYER_PATH=$scratch/layer
unset OPENCL_LAYERS XDG_CONFIG_HOME
layer=$PREDICTD_LAYER_PATH/libpredictd-layer.so
environment=$HOME/.config/environment.d/60-predictd-layer.conf
mkdir -p "$HOME/dotfiles" "$scratch/layer"
# no loader is called here
printf 'clGetLayerInfo clInitLayer' >"$layer"

# states: of session, user and node, as JSON
states() {
	ctl layer --json | json 'str(x["session"]) + " " + str(x["user"]) + " " + str(x["node"])'
}

# logged_in: what a login shell has
logged_in() {
	env -u BASH_ENV bash --login -c 'printf "%s" "${OPENCL_LAYERS-}"'
}

is "at first it is on nowhere" "False False False" "$(states)"
expect "and said so" 0 '^user  *off$' ctl layer

# a session
is "a shell is told its variable" "$layer" "$(eval "$(ctl layer on)" && printenv OPENCL_LAYERS)"
is "others stay behind it" "$layer:/a b'c.so:/d.so" \
	"$(export OPENCL_LAYERS="/a b'c.so:/d.so" && eval "$(ctl layer on session)" && printenv OPENCL_LAYERS)"
is "once, however often" "$layer" "$(eval "$(ctl layer on)" && eval "$(ctl layer on)" && printenv OPENCL_LAYERS)"
is "it is on then" "True False False" "$(eval "$(ctl layer on)" && states)"
is "and off again, but for others" "/d.so" \
	"$(export OPENCL_LAYERS="$layer:/d.so:$layer" && eval "$(ctl layer off)" && printenv OPENCL_LAYERS)"

# a user, whose profile is a link and lacks its last end of line
printf '# mine\nexport MINE=1' >"$HOME/dotfiles/profile"
chmod 640 "$HOME/dotfiles/profile"
ln -s dotfiles/profile "$HOME/.profile"
expect "a user's is switched on" 0 'from the next login on' ctl layer on user
is "it is on" "False True False" "$(states)"
is "a login shell has it" "$layer" "$(logged_in)"
is "before others" "$layer:/d.so" "$(OPENCL_LAYERS=/d.so logged_in)"
is "and not twice" "$layer" "$(OPENCL_LAYERS=$layer logged_in)"
generator=$(find /usr/lib/systemd/user-environment-generators /lib/systemd/user-environment-generators \
	-name '*systemd-environment-d-generator' 2>/dev/null | head -n 1)
if [ -n "$generator" ]; then
	is "so has what systemd starts for him" "OPENCL_LAYERS=$layer" "$("$generator" | grep OPENCL_LAYERS)"
else
	ok "so has what systemd starts for him # SKIP no systemd"
fi
ctl layer on user >"$scratch/out"
is "once more changes nothing" 1 "$(grep -c OPENCL_LAYERS "$HOME/.profile")"
is "his profile is a link still" dotfiles/profile "$(readlink "$HOME/.profile")"
is "with its permissions" 640 "$(stat -c %a "$HOME/dotfiles/profile")"
expect "it is switched off" 0 'user: off' ctl layer off user
is "it is off" "False False False" "$(states)"
is "his lines stay" "# mine export MINE=1" "$(tr '\n' ' ' <"$HOME/.profile" | sed 's/ $//')"
[ ! -e "$environment" ] && ok "the other file is gone" || not_ok "the other file is gone"
expect "off is no failure when it is off" 0 'user: off' ctl layer off user
printf '# bash reads this one\n' >"$HOME/.bash_profile"
ctl layer on user >"$scratch/out"
is "bash's own profile comes before" "1 0" "$(grep -c OPENCL "$HOME/.bash_profile") $(grep -c OPENCL "$HOME/.profile")"
rm "$layer"
expect "a layer that is gone is told" 1 'not in' ctl layer status
expect "and cannot be switched on" 1 'not in' ctl layer on user
expect "but off" 0 'user: off' ctl layer off user
is "whatever there was" 0 "$(grep -c OPENCL "$HOME/.bash_profile")"

printf 'no layer' >"$layer"
expect "what is no layer is refused" 1 'no OpenCL layer' ctl layer on user
mkdir "$scratch/its \$(layer)"
printf 'clGetLayerInfo clInitLayer' >"$scratch/its \$(layer)/libpredictd-layer.so"
PREDICTD_LAYER_PATH="$scratch/its \$(layer)" expect "a path that shells read otherwise is refused" 1 'want a path' ctl layer on user
is "and nothing written" 0 "$(grep -c OPENCL "$HOME/.bash_profile")"
printf 'clGetLayerInfo clInitLayer' >"$layer"
head -c 2000000 /dev/zero >"$HOME/.bash_profile"
expect "a profile that is no text is left alone" 1 'want a text' ctl layer on user
is "as it is" 2000000 "$(stat -c %s "$HOME/.bash_profile")"
rm "$HOME/.bash_profile"
rmdir "$HOME/.config/environment.d"
printf 'a file' >"$HOME/.config/environment.d"
expect "a folder that cannot be made is told" 1 '60-predictd-layer.conf: Not a directory' ctl layer on user
expect "an unknown place" 2 'want session, user or node' ctl layer on everywhere
expect "an unknown word" 2 'want on, off or status' ctl layer enable
expect "too many words" 2 'one argument\|too many\|want' ctl layer on user node
if [ "$(id -u)" -ne 0 ]; then
	expect "a node's is root's" 1 'Permission denied' ctl layer on node
fi
finish
