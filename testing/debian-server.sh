#!/usr/bin/env bash
# Installs a server of Debian for the tests, unless it is installed: testing/debian-server.sh PACKAGE SERVICE PROGRAM…
#
# The tests start their own servers. So the service of the package is started neither now nor at the next boot.
# Exit code: 0 if its programs are installed.
set -euo pipefail

package=$1 service=$2
shift 2
PATH=$PATH:/usr/sbin:/usr/local/sbin
installed() { for program in "$@"; do command -v "$program" >/dev/null || return 1; done; }

! installed "$@" || exit 0
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 1
echo "test: installing $package for the tests of its store" >&2

policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
# What is installed stays: with a MySQL there is no MariaDB.
{ apt-get -qq update && apt-get -qq install -y --no-install-recommends --no-remove "$package"; } >/dev/null 2>&1 || exit 1
! command -v systemctl >/dev/null || systemctl disable "$service" >/dev/null 2>&1 || true
installed "$@"
