#!/usr/bin/env bash
# Counts the tests in the Surefire reports below a folder.
#
#   testing/report.sh FOLDER [MAVEN_EXIT_CODE]
#
# Names every test that failed with its message and our own frames, and every test that passed only when it was repeated; prints how many contract tests each store passed,
# and what runs the twins of tests on other stores if they were left out, then, as the last line, 'N passed, N failed, N skipped'.
# Exit code: 0 if Maven succeeded, something ran and nothing failed; otherwise 1.
set -euo pipefail

root=${1:?usage: testing/report.sh FOLDER [MAVEN_EXIT_CODE]}
maven=${2:-0}

# One line for each report: its path, then tests, failed and skipped.
counts() {
    find "$root" -type f -path '*/target/surefire-reports/TEST-*.xml' -print0 |
        sort -z |
        while IFS= read -r -d '' report; do
            awk '
                function number(name,    from) {
                    if (!match(tag, "[ \t\n]" name "=\"[0-9]+\"")) return 0
                    from = RSTART + length(name) + 3
                    return substr(tag, from, RSTART + RLENGTH - 1 - from) + 0
                }
                # The tag may be broken over lines; quoted values never contain a bare ">".
                /<testsuite[ \t]/ || /<testsuite$/ { inside = 1 }
                inside { tag = tag "\n" $0 }
                inside && />/ { found = 1; exit }
                END {
                    # A truncated report means a test that did not end.
                    if (!found) { print 1, 1, 0; exit }
                    print number("tests"), number("failures") + number("errors"), number("skipped")
                }' "$report" | while read -r numbers; do printf '%s\t%s\n' "${report#"$root"/}" "$numbers"; done
        done
}

# The failures, at the end of the output where they are easy to find.
failures() {
    find "$root" -type f -path '*/target/surefire-reports/TEST-*.xml' -print0 | sort -z | xargs -0 -r awk '
        function value(name,    from) {
            if (!match($0, "[ \t]" name "=\"[^\"]*\"")) return ""
            from = RSTART + length(name) + 3
            return substr($0, from, RSTART + RLENGTH - 1 - from)
        }
        FNR == 1 { frames = 0 }
        /<testcase[ \t]/ { test = value("classname") "#" value("name"); frames = 0 }
        /<flaky(Failure|Error)[ \t>]/ { print "PASSED ONLY WHEN REPEATED " test }
        /<(failure|error)[ \t>]/ {
            message = value("message")
            gsub(/&#10;/, " ", message); gsub(/&quot;/, "\"", message); gsub(/&lt;/, "<", message); gsub(/&gt;/, ">", message)
            print "FAILED " test
            print "    " substr(message, 1, 400)
            frames = 6
        }
        frames && /^[ \t]*at (app\/\/)?io\.interlock\./ { sub(/^[ \t]*/, ""); print "    " $0; frames-- }
        /<\/(failure|error)>/ { frames = 0 }'
}

# Whether tests ran without their twins, as Surefire was told.
left_out() {
    find "$root" -type f -path '*/target/surefire-reports/TEST-*.xml' -print0 |
        xargs -0 -r grep -lF '<property name="interlock.prove" value="false"/>' | wc -l
}

failures
counts | awk -F '\t' -v maven="$maven" -v left_out="$(left_out)" '
    {
        split($2, n, " ")
        tests += n[1]; failed += n[2]; skipped += n[3]
        # The contract as a store runs it: stores/NAME/…/TEST-….SomeLeaseStoreTest.xml or SomeRunStoreTest.xml, nested classes included.
        if ($1 ~ /(^|\/)stores\/[^\/]+\/target\// && $1 ~ /(Lease|Run)StoreTest(\$[^\/]*)?\.xml$/) {
            store = $1; sub(/\/target\/.*/, "", store); sub(/.*stores\//, "", store)
            if (!(store in passed)) order[++stores] = store
            passed[store] += n[1] - n[2] - n[3]
            broken[store] += n[2]
            left[store] += n[3]
        }
    }
    END {
        line = ""
        for (i = 1; i <= stores; i++) {
            line = line (i > 1 ? ", " : "") order[i] " " passed[order[i]] " passed"
            if (broken[order[i]]) line = line " " broken[order[i]] " failed"
            if (left[order[i]]) line = line " " left[order[i]] " skipped"
        }
        print "contract: " (stores ? line : "no store was tested")
        if (left_out) print "twins of tests on other stores were left out: ./interlock prove runs them"
        if (maven != 0 && !failed) print "the build failed outside the tests; Maven ended with exit code " maven
        if (!tests) print "no test was run"
        printf "%d passed, %d failed, %d skipped\n", tests - failed - skipped, failed, skipped
        exit (maven != 0 || failed || !tests) ? 1 : 0
    }'
