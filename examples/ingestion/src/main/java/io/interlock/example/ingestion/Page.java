package io.interlock.example.ingestion;

import java.util.Arrays;
import java.util.List;

/**
 * A page of the source as it was at one time: lines of fields, {@code lap;3;1;20411}.
 *
 * @param path its path
 * @param version its ETag, which changes with its content
 * @param body its content
 */
record Page(String path, String version, String body) {

    /** The fields after {@code kind}, of every line of that kind. */
    List<List<String>> lines(String kind) {
        return body.lines()
                .map(line -> Arrays.asList(line.split(";", -1)))
                .filter(fields -> fields.get(0).equals(kind))
                .map(fields -> fields.subList(1, fields.size()))
                .toList();
    }

    static String ofEvent(String source) {
        return "/events/" + source;
    }

    static String ofEntries(String source) {
        return "/events/" + source + "/entries";
    }

    static String ofRace(String source, int race) {
        return "/events/" + source + "/races/" + race;
    }
}
