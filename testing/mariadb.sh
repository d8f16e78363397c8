#!/usr/bin/env bash
# Installs Debian's MariaDB for the tests, unless it is installed: testing/mariadb.sh
#
# The tests start their own servers. So the server of the package is started neither now nor at the next boot.
# Exit code: 0 if its programs are installed.
set -euo pipefail

PATH=$PATH:/usr/sbin:/usr/local/sbin
installed() { command -v mariadbd && command -v mariadb-install-db; }

! installed >/dev/null || exit 0
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 1
echo "test: installing MariaDB for the tests of its store" >&2

policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
# An installed MySQL stays: then there is no MariaDB.
{ apt-get -qq update && apt-get -qq install -y --no-install-recommends --no-remove mariadb-server; } >/dev/null 2>&1 || exit 1
! command -v systemctl >/dev/null || systemctl disable mariadb >/dev/null 2>&1 || true
installed >/dev/null
