package io.interlock.example.ingestion;

import io.interlock.LockKey;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.RunContext;
import io.interlock.engine.RunHandler;
import io.interlock.example.ingestion.Database.Fence;
import io.interlock.example.ingestion.EventPages.Entry;
import io.interlock.time.Environment;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes an event under its lock, in one transaction each: entries, every race with its results and laps, drivers, and
 * last the mark that it is complete. It may run again after a failure or a crash, and repeated steps change nothing.
 *
 * <p>A page that was fetched before is requested with its version; the source answers without a body unless it has
 * changed. A failing source ends the attempt: the engine waits before the next one, and the lock is free meanwhile.
 */
public final class IngestionJob implements RunHandler {

    private final Environment environment = Environment.system();
    private final Source site;
    private final Database database;
    private final StagedPages pages;
    private final Events events;
    private final Races races;

    /** With settings from environment variables. */
    public IngestionJob() throws SQLException {
        this(Settings.of(System.getenv()));
    }

    IngestionJob(Settings settings) throws SQLException {
        site = new Source(settings.source());
        database = Database.open(settings.database());
        pages = new StagedPages(database);
        events = new Events(database);
        races = new Races(settings.racesAtOnce(), settings.store(), environment);
    }

    @Override
    public @Nullable String run(RunContext run) throws Exception {
        LockKey key = run.key();
        String event = Events.idOf(key);
        List<Fence> fences = List.of(new Fence(key, run.token()));

        run.stage("event");
        Map<String, String> wish = FlatJson.read(run.run().spec().parameters());
        String named = wish.get("source_event_id");
        String source = named == null ? events.sourceOf(key) : named;
        EventPages.Event page = EventPages.Event.of(current(Page.ofEvent(source)));
        requireSame(event, source, events.create(key, source, wish.getOrDefault("track_id", "")));

        run.stage("entries");
        List<Entry> entries = Entry.of(current(Page.ofEntries(source)));
        run.checkpoint();
        database.fenced(fences, connection -> {
            Events.rename(connection, key, page.name());
            EventRows.entries(connection, event, entries, page.races());
        });

        run.stage("races");
        races.each(page.races(), run, (number, all) -> {
            EventPages.Race race = EventPages.Race.of(current(Page.ofRace(source, number)));
            database.fenced(all, connection -> EventRows.race(connection, event, race));
        });

        run.stage("drivers");
        run.checkpoint();
        database.fenced(fences, connection -> Drivers.match(connection, event, entries));

        run.stage("complete");
        run.checkpoint();
        Instant now = environment.clock().instant();
        database.fenced(fences, connection -> Events.complete(connection, key, now));
        return null;
    }

    private static void requireSame(String event, String source, String created) {
        if (!created.equals(event)) {
            throw new PermanentFailureException(
                    "EVENT_EXISTS", "source event " + source + " is event " + created + "; ingest that one");
        }
    }

    private Page current(String path) throws SQLException, InterruptedException {
        return site.current(path, pages.find(path).orElse(null));
    }
}
