package io.interlock.example.ingestion;

import io.interlock.engine.PermanentFailureException;
import java.util.List;
import java.util.function.Function;

/** Parses the pages of an event to rows. A malformed page is a permanent failure. */
final class EventPages {

    private EventPages() {}

    /** An event's name, and its races in order. */
    record Event(String name, List<Integer> races) {

        static Event of(Page page) {
            return understood(
                    page,
                    it -> new Event(
                            it.lines("event").get(0).get(0),
                            it.lines("race").stream()
                                    .map(race -> Integer.valueOf(race.get(0)))
                                    .toList()));
        }
    }

    /** The driver and transponder of each car. */
    record Entry(int car, String driver, long transponder) {

        static List<Entry> of(Page page) {
            return understood(
                    page,
                    it -> it.lines("entry").stream()
                            .map(entry -> new Entry(
                                    Integer.parseInt(entry.get(0)), entry.get(1), Long.parseLong(entry.get(2))))
                            .toList());
        }
    }

    /** A complete race: rows of results are (position, car, laps, millis), those of laps (car, lap, millis). */
    record Race(int number, String name, List<List<Object>> results, List<List<Object>> laps) {

        static Race of(Page page) {
            return understood(
                    page,
                    it -> new Race(
                            Integer.parseInt(it.lines("race").get(0).get(0)),
                            it.lines("race").get(0).get(1),
                            numbers(it.lines("result")),
                            numbers(it.lines("lap"))));
        }

        private static List<List<Object>> numbers(List<List<String>> lines) {
            return lines.stream()
                    .map(line -> line.stream().<Object>map(Long::valueOf).toList())
                    .toList();
        }
    }

    private static <T> T understood(Page page, Function<Page, T> reading) {
        try {
            return reading.apply(page);
        } catch (NumberFormatException | IndexOutOfBoundsException broken) {
            throw new PermanentFailureException(
                    "PAGE_UNREADABLE",
                    page.path() + " has an unexpected format (" + broken.getMessage() + "); has the source changed?",
                    broken);
        }
    }
}
