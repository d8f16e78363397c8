package io.interlock.example.ingestion;

import io.interlock.engine.TransientFailureException;
import io.interlock.time.Environment;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Fetches all pages of an event before its lock is acquired, so that the slow and retried part blocks no other caller.
 * It writes no row of the event. Thread-safe, also for concurrent calls for one event.
 */
final class Fetch {

    private static final int AT_ONCE = 4;
    private static final int TRIES = 5;
    private static final Duration FIRST_REST = Duration.ofMillis(200);

    private final Source source;
    private final StagedPages pages;
    private final Environment environment;

    Fetch(Source source, StagedPages pages, Environment environment) {
        this.source = source;
        this.pages = pages;
        this.environment = environment;
    }

    /** Fetches changed pages. */
    void all(String event) throws InterruptedException, SQLException {
        EventPages.Event page = EventPages.Event.of(fetched(Page.ofEvent(event)));
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE, environment.threads("fetch"));
        try {
            List<Future<Page>> fetching = new ArrayList<>();
            fetching.add(threads.submit(() -> fetched(Page.ofEntries(event))));
            page.races().forEach(race -> fetching.add(threads.submit(() -> fetched(Page.ofRace(event, race)))));
            for (Future<Page> each : fetching) {
                each.get();
            }
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof RuntimeException told ? told : new IllegalStateException(failed);
        } finally {
            threads.shutdownNow();
        }
    }

    private Page fetched(String path) throws InterruptedException, SQLException {
        Page known = pages.find(path).orElse(null);
        Duration rest = FIRST_REST;
        for (int tries = 1; ; tries++) {
            try {
                Page current = source.current(path, known);
                pages.keep(current);
                return current;
            } catch (TransientFailureException failed) {
                if (tries == TRIES) {
                    throw failed;
                }
                // Never counted down: a sleep that an interrupt ends.
                new CountDownLatch(1).await(rest.toMillis(), TimeUnit.MILLISECONDS);
                rest = rest.multipliedBy(2);
            }
        }
    }
}
