package io.interlock.example.ingestion;

import io.interlock.time.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Reads an event repeatedly while it is written, and records every inconsistent state. */
final class Onlooker implements AutoCloseable {

    private static final int RACES = 5;
    private static final int LAPS_OF_A_CAR = 8;

    private final EventReader reader;
    private final String event;
    private final List<EventReader.Event> seen = new CopyOnWriteArrayList<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile boolean over;

    Onlooker(EventReader reader, String event) {
        this.reader = reader;
        this.event = event;
        this.thread = Environment.system().threads("onlooker").newThread(this::look);
        thread.start();
    }

    /** The inconsistent states: half races, and incomplete events marked as complete. */
    List<String> faults() {
        return new ArrayList<>(faults);
    }

    /** All states it read, in order. */
    List<EventReader.Event> seen() {
        return new ArrayList<>(seen);
    }

    private void look() {
        while (!over) {
            try {
                Optional<EventReader.Event> found = reader.find(event);
                found.ifPresent(this::judge);
            } catch (Exception failure) {
                faults.add(failure.toString());
            }
        }
    }

    private void judge(EventReader.Event now) {
        if (seen.isEmpty() || !seen.get(seen.size() - 1).equals(now)) {
            seen.add(now);
        }
        if (now.complete() && now.races().size() != RACES) {
            faults.add("complete with " + now.races());
        }
        now.races().stream()
                .filter(race -> race.results() == 0 || race.laps() != race.results() * LAPS_OF_A_CAR)
                .forEach(race -> faults.add("half: " + race));
    }

    @Override
    public void close() throws InterruptedException {
        over = true;
        thread.join();
    }
}
