#!/usr/bin/env bash
# Compiles the extension of Maven that tests modules apart from building them: testing/maven/build.sh JAVAC FOLDER
#
# Exit code: 0 if FOLDER has it, for -Dmaven.ext.class.path; otherwise this Maven has other classes.
set -euo pipefail

javac=${1:?usage: testing/maven/build.sh JAVAC FOLDER} folder=${2:?no folder}
home=$(mvn -v | sed -n 's/^.*Maven home: //p')
mkdir -p "$folder/META-INF/plexus"
cp "${BASH_SOURCE[0]%/*}/components.xml" "$folder/META-INF/plexus"
"$javac" -proc:none -nowarn --release 17 -cp "$home/lib/*" -d "$folder" "${BASH_SOURCE[0]%/*}/TestsApart.java" 2>/dev/null
