#!/usr/bin/env bash
# Downloads Prometheus' promtool from Debian's package, without installing it: testing/promtool.sh FOLDER
set -euo pipefail

folder=${1:?usage: testing/promtool.sh FOLDER}
[ ! -x "$folder/usr/bin/promtool" ] || exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || exit 1
mkdir -p "$folder"
cd "$folder"
# A new machine has no package lists, and may need root to get them.
apt-get download -qq prometheus >/dev/null 2>&1 ||
    { apt-get update -qq >/dev/null 2>&1 && apt-get download -qq prometheus >/dev/null 2>&1; } || exit 1
dpkg-deb -x prometheus_*.deb .
rm -f prometheus_*.deb usr/bin/prometheus
