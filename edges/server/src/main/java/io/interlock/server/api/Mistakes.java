package io.interlock.server.api;

import io.interlock.server.problem.Problem.Mistake;
import io.vertx.core.json.DecodeException;
import io.vertx.json.schema.OutputUnit;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a validator found, as a client can use it. */
final class Mistakes {

    private static final int MOST = 20;
    private static final Pattern PLACE = Pattern.compile("line: (\\d+), column: (\\d+)");

    /** Says only that there are errors further down, which are listed themselves. */
    private static final Pattern SUMMARY = Pattern.compile("(?i).*subschema.*|.*does not match (all|any|exactly).*");

    private Mistakes() {}

    /** None if the value keeps its schema. */
    static List<Mistake> of(OutputUnit found) {
        if (Boolean.TRUE.equals(found.getValid())) {
            return List.of();
        }
        List<OutputUnit> errors = found.getErrors() == null ? List.of() : found.getErrors();
        List<Mistake> mistakes = errors.stream()
                .filter(error -> error.getError() != null
                        && !SUMMARY.matcher(error.getError()).matches())
                .map(error -> new Mistake(pointer(error), shown(error.getError())))
                .distinct()
                .limit(MOST)
                .toList();
        return mistakes.isEmpty() ? List.of(new Mistake("", "breaks its schema")) : mistakes;
    }

    /** Where a parser stopped, without the text it stopped at. */
    static String place(DecodeException failure) {
        Matcher place = PLACE.matcher(String.valueOf(failure.getMessage()));
        return place.find() ? ": line " + place.group(1) + ", column " + place.group(2) : "";
    }

    /** At most a line of what a client sent. */
    static String shown(String text) {
        String plain = text.replaceAll("\\p{Cntrl}", "?");
        return plain.length() > 300 ? plain.substring(0, 300) + "…" : plain;
    }

    private static String pointer(OutputUnit error) {
        String location = error.getInstanceLocation();
        return location == null ? "" : shown(location.startsWith("#") ? location.substring(1) : location);
    }
}
