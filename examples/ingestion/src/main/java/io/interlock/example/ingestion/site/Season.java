package io.interlock.example.ingestion.site;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The content of the pages: invented, but always the same. Any number is an event; each has five races of six cars. A
 * revised race has other laps, and one car fewer. Thread-safe.
 */
final class Season {

    static final int RACES = 5;
    private static final int CARS = 6;
    private static final int LAPS = 8;
    private static final String[] DRIVERS = {
        "Ana Silva", "Bo Lindqvist", "Chidi Okafor", "Dana Weiss", "Emi Tanaka", "Farid Aziz"
    };
    private static final Pattern PATH = Pattern.compile("/events/(\\d+)(?:/(entries)|/races/(\\d+))?");

    private final Map<String, Integer> revisions = new ConcurrentHashMap<>();

    /** The current content of the page at {@code path}; empty if there is none. */
    Optional<String> page(String path) {
        Matcher found = PATH.matcher(path);
        if (!found.matches()) {
            return Optional.empty();
        }
        long event = Long.parseLong(found.group(1));
        if (found.group(2) != null) {
            return Optional.of(entries(event));
        }
        if (found.group(3) == null) {
            return Optional.of(event(event));
        }
        int race = Integer.parseInt(found.group(3));
        return race < 1 || race > RACES
                ? Optional.empty()
                : Optional.of(race(event, race, revisions.getOrDefault(path, 0)));
    }

    /** Revises a race. */
    void revise(String path) {
        revisions.merge(path, 1, Integer::sum);
    }

    private static String event(long event) {
        return IntStream.rangeClosed(1, RACES)
                .mapToObj(race -> "race;" + race + "\n")
                .collect(Collectors.joining("", "event;Club Race " + event + "\n", ""));
    }

    /** Events with an odd number misspell their second driver. */
    private static String entries(long event) {
        return IntStream.range(0, CARS)
                .mapToObj(car -> {
                    String name = car == 1 && event % 2 == 1 ? "B. Lindquist" : DRIVERS[car];
                    return "entry;" + (car + 1) + ";" + name + ";" + (5_000_000 + car * 37) + "\n";
                })
                .collect(Collectors.joining());
    }

    private static String race(long event, int race, int revision) {
        StringBuilder page = new StringBuilder("race;" + race + ";Heat " + race + "\n");
        StringBuilder laps = new StringBuilder();
        int cars = revision == 0 ? CARS : CARS - 1;
        for (int position = 1; position <= cars; position++) {
            int car = 1 + Math.floorMod(position + race + revision, cars);
            long total = 0;
            for (int lap = 1; lap <= LAPS; lap++) {
                long millis =
                        20_000 + position * 150L + Math.floorMod(event * 7 + race * 31L + lap * 13L + revision, 97);
                total += millis;
                laps.append("lap;" + car + ";" + lap + ";" + millis + "\n");
            }
            page.append("result;" + position + ";" + car + ";" + LAPS + ";" + total + "\n");
        }
        return page.append(laps).toString();
    }
}
