#!/bin/sh
# Runs a command beside other programs, which end with it, as a comparison on a machine that has other things to do:
#
#   sh scripts/beside.sh one|two|bursts|builds COMMAND...
#
# one and two spin, bursts spins for 0.2 s of each 0.5 s, builds is go build -a std again and again.
set -u
what=${1-}
[ $# -ge 2 ] || { echo "beside: one, two, bursts or builds, and a command" >&2; exit 2; }
shift
spin() { while :; do :; done; }
bursts() { while :; do timeout 0.2 sh -c 'while :; do :; done'; sleep 0.3; done; }
builds() {
	cache=$(mktemp -d) && trap 'kill $!; wait; rm -rf "$cache"; exit' TERM
	while :; do GOCACHE=$cache go build -a std & wait; done
}
others=
case $what in
one) spin & others=$! ;;
two) spin & others=$!; spin & others="$others $!" ;;
bursts) bursts & others=$! ;;
builds) builds & others=$! ;;
*) echo "beside: there is no $what" >&2; exit 2 ;;
esac
trap : INT TERM # the command ends by itself
"$@"
code=$?
# shellcheck disable=SC2086 # a list of numbers
kill $others
wait
exit $code
