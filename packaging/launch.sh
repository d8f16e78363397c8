# How Interlock is started: read by ./interlock of the source tree and by bin/interlock of the packages.
#
# The caller sets $jars, the folder of all jars, $cache, where the files for a faster start are, and $also, the class path of the
# $extras. $java is set here: the runtime of the package, else JAVA_HOME's, else the one on the PATH.

readonly USAGE=64 FAILED=125

fail() {
    echo "interlock: $1" >&2
    exit "${2:-$FAILED}"
}

# Sets $java; $1 is the runtime of a package, which it may have or not.
find_java() {
    java=$1/bin/java
    [ -x "$java" ] || java=${JAVA_HOME:+$JAVA_HOME/bin/}java
}

# Sets $java_version, and stops if it is too old.
require_java() {
    command -v "$java" >/dev/null ||
        fail "no Java ($java) found; install a JDK of version 17 or later and put it on the PATH, or set JAVA_HOME"
    java_version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
    [ "${java_version:-0}" -ge 17 ] ||
        fail "found Java ${java_version:-of unknown version} ($java); version 17 or later is needed, set JAVA_HOME to one"
}

# Sets $program, the jar to run, $options of the JVM for a command, and $extras, the modules that it needs beside its own class path: a class
# that is looked for and does not exist opens every jar.
choose() {
    local words=" $* ${INTERLOCK_STORE:-}"
    extras=() also=
    # Output of the JVM itself, as after kill -QUIT, goes to stderr: stdout belongs to commands.
    options=(-Xss512k -XX:-UsePerfData -XX:+DisplayVMOutputToStderr --enable-native-access=ALL-UNNAMED)
    case ${1:-} in
        # It serves others for long: collections beside the requests, and a heap in which they are rare.
        server) program=server options+=(-Xms256m) ;;
        # A small initial heap, one collector thread; the optimising compiler only for long-running commands.
        demo) program=server options+=(-XX:+UseSerialGC -Xms32m -XX:TieredStopAtLevel=1) ;;
        *)
            # Most code of a short command runs a few hundred times: compiling it would take longer than running it.
            program=cli options+=(-XX:+UseSerialGC -Xms32m -XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=5)
            # The SQLite driver asks for formats of dates, for which the JVM would load what it knows of languages. HOST, which Linux does not have,
            # leaves English. A worker runs code of users.
            [ "${1:-}" = worker ] || options+=(-Djava.locale.providers=HOST)
            # Health, metrics and traces of a worker, and the drivers of some stores, are those of the server.
            case $words in
                " worker "* | *[[:space:]=]redis:* | *[[:space:]=]rediss:* | *[[:space:]=]etcd:* | *[[:space:]=]etcds:*) extras+=(edges/server) ;;
            esac
            ;;
    esac
    case $words in
        *[[:space:]=]firestore:*) extras+=(stores/firestore) ;;
    esac
}

# Prepares a faster start of the command line in the folder $cache: the unpacked library of the SQLite driver, and the classes that a start
# needs, loaded and linked. Trial runs create both. The command line also starts without them.
warm() {
    local trial=$cache/trial
    require_java
    choose run
    find_jar cli
    rm -rf "$cache/native" "$cache/start.aot" "$cache/classes.jsa" "$cache/java"
    mkdir -p "$cache/native" "$trial" || return
    # The driver removes its copy at its end, so the command of the trial keeps one.
    # shellcheck disable=SC2016 # the inner shell is to see the variables
    local run=(io.interlock.cli.Rehearsal run -n trial --store "sqlite:$trial/trial.db" --
        sh -c 'for f in "$0"/sqlite-*sqlitejdbc.*[!k]; do [ ! -e "$f" ] || cp "$f" "$1/${f##*-}"; done' "$trial" "$cache/native")
    "$java" "${options[@]}" -Dorg.sqlite.tmpdir="$trial" -cp "$jar" "${run[@]}" </dev/null || return
    prepared
    # The second run finds a store, as nearly all runs do.
    if [ "$java_version" -ge 25 ]; then
        "$java" "${options[@]}" -XX:AOTCacheOutput="$cache/start.aot" -cp "$jar" "${run[@]}" </dev/null
    else
        "$java" "${options[@]}" -XX:DumpLoadedClassList="$trial/classes" -cp "$jar" "${run[@]}" </dev/null || return
        "$java" -Xshare:dump -XX:SharedClassListFile="$trial/classes" -XX:SharedArchiveFile="$cache/classes.jsa" -cp "$jar"
    fi
    rm -rf "$trial"
    echo "$java" >"$cache/java"
}

# Adds to $options what warm prepared.
prepared() {
    local library
    # The JVM must not write to stdout, which belongs to commands, when it cannot use the files.
    if [ "$program" = server ]; then
        : # these are classes of the command line
    elif [ -e "$cache/start.aot" ]; then
        # A Java that is older than the one that made it does not know the option.
        options+=(-XX:+IgnoreUnrecognizedVMOptions -XX:AOTCache="$cache/start.aot" -Xlog:disable)
    elif [ -e "$cache/classes.jsa" ]; then
        options+=(-XX:SharedArchiveFile="$cache/classes.jsa" -Xlog:disable)
    fi
    for library in "$cache"/native/*; do
        [ ! -e "$library" ] || options+=(-Dorg.sqlite.lib.path="$cache/native" -Dorg.sqlite.lib.name="${library##*/}"
            -Dorg.sqlite.tmpdir="$cache/native")
    done
}

# Sets $jar, that of a program; its manifest names all others.
find_jar() {
    jar=("$jars/interlock-$1"-[0-9]*.jar)
}

# Replaces this shell by the $program, or prepares faster starts of it.
launch() {
    local said
    if [ "${1:-}" = warm-up ]; then
        said=$(warm 2>&1) || fail "cannot prepare faster starts in $cache: $said"
        exit
    fi
    prepared
    find_jar "$program"
    # shellcheck disable=SC2128 # there is one
    start "io.interlock.$program.Main" "$jar" "$@"
}

# Replaces this shell by the main class $1 on the class path $2; the arguments follow.
start() {
    local main=$1 path=$2 umlaut=$'\xc3\xbc'
    shift 2
    # A JVM decodes arguments and names by the locale, and cron and containers have none: all but ASCII would be lost. Commands get back the
    # original setting (InheritedEnvironment). A locale that is set but not installed does not count either. In a locale of UTF-8, these two
    # bytes are one character for this shell, which then starts no other process to learn more.
    if [ "${#umlaut}" -ne 1 ] && [ "$(locale charmap 2>/dev/null || echo ANSI_X3.4-1968)" = ANSI_X3.4-1968 ]; then
        # If C.UTF-8 is not installed, bash prints a warning.
        { export INTERLOCK_LC_ALL=${LC_ALL-} LC_ALL=C.UTF-8; } 2>/dev/null
    fi
    # shellcheck disable=SC2086 # INTERLOCK_JAVA_OPTS are words
    exec "$java" "${options[@]}" ${INTERLOCK_JAVA_OPTS:-} -cp "$path$also${INTERLOCK_CLASSPATH:+:$INTERLOCK_CLASSPATH}" "$main" "$@"
}
