#!/usr/bin/env bash
# Compiles what makes builds of Maven shorter: testing/maven/build.sh JAVAC FOLDER
#
# FOLDER/checkers is for -Xbootclasspath/a: it has the class loader of the compiler's checkers.
# FOLDER/builder is for -Dmaven.ext.class.path: it tests modules apart from building them.
# Exit code: 0 if FOLDER has both; otherwise this Maven has other classes.
set -euo pipefail

javac=${1:?usage: testing/maven/build.sh JAVAC FOLDER} folder=${2:?no folder}
home=$(mvn -v | sed -n 's/^.*Maven home: //p')
sources=${BASH_SOURCE[0]%/*}
mkdir -p "$folder/builder/META-INF/plexus"
cp "$sources/components.xml" "$folder/builder/META-INF/plexus"
"$javac" -proc:none -nowarn --release 17 -d "$folder/checkers" "$sources/CheckerLoader.java" 2>/dev/null
"$javac" -proc:none -nowarn --release 17 -cp "$home/lib/*" -d "$folder/builder" "$sources/TestsApart.java" 2>/dev/null
