package io.interlock.server.api;

import io.interlock.server.problem.Problem.Mistake;
import io.vertx.core.json.DecodeException;
import io.vertx.json.schema.OutputUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a validator found, as a client can use it. */
final class ValidationErrors {

    private static final int MOST = 20;
    private static final String STRAY = "is no field here";
    private static final Pattern QUOTED = Pattern.compile("\"(.*)\"");
    private static final Pattern PLACE = Pattern.compile("line: (\\d+), column: (\\d+)");

    /** The words of a schema that say something themselves; the others only sum up what these found further down. */
    private static final Set<String> TELLING = Set.of(
            "type",
            "const",
            "enum",
            "required",
            "minProperties",
            "maxProperties",
            "minItems",
            "maxItems",
            "uniqueItems",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "additionalProperties");

    private ValidationErrors() {}

    /** None if the value keeps its schema. */
    static List<Mistake> of(OutputUnit found) {
        if (Boolean.TRUE.equals(found.getValid())) {
            return List.of();
        }
        List<OutputUnit> errors = found.getErrors() == null ? List.of() : found.getErrors();
        Map<String, Mistake> byPlace = new LinkedHashMap<>();
        for (OutputUnit error : errors) {
            String keyword = keyword(error);
            if (TELLING.contains(keyword) && byPlace.size() < MOST) {
                Mistake mistake = mistake(error, keyword);
                // A field whose value is wrong is reported once more as one that does not belong.
                byPlace.merge(
                        mistake.pointer(),
                        mistake,
                        (first, second) -> first.detail().equals(STRAY) ? second : first);
            }
        }
        List<Mistake> mistakes = List.copyOf(byPlace.values());
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

    private static Mistake mistake(OutputUnit error, String keyword) {
        String at = pointer(error);
        String said = shown(String.valueOf(error.getError()));
        return switch (keyword) {
            case "required" -> new Mistake(at + "/" + quoted(said), "is required");
            case "additionalProperties" -> new Mistake(at, STRAY);
            case "pattern" -> new Mistake(at, pattern(String.valueOf(error.getAbsoluteKeywordLocation())));
            case "maxProperties" -> new Mistake(at, "has too many fields");
            case "minProperties" -> new Mistake(at, "has too few fields");
            default -> new Mistake(at, said);
        };
    }

    private static String pattern(String schema) {
        if (schema.contains("/Duration/")) {
            return "is not a duration; write it as 500ms, 30s, 5m, 2h, 1d or PT5M";
        }
        return schema.contains("/LeaseId/") ? "is not a UUID" : "does not have the form it must have";
    }

    private static String quoted(String said) {
        Matcher name = QUOTED.matcher(said);
        return name.find() ? name.group(1) : "";
    }

    private static String keyword(OutputUnit error) {
        String location = String.valueOf(error.getKeywordLocation());
        return location.substring(location.lastIndexOf('/') + 1);
    }

    private static String pointer(OutputUnit error) {
        String location = error.getInstanceLocation();
        return location == null ? "" : shown(location.startsWith("#") ? location.substring(1) : location);
    }
}
