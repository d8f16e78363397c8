package io.interlock.example.ingestion;

import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.TransientFailureException;
import io.interlock.time.Environment;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ingests an event: first fetches it, then requests its ingestion. {@code ingest SOURCE_EVENT_ID TRACK_ID [WAIT]}
 * prints stages and
 * progress; exit code 75 means that it is already being ingested.
 */
public final class Ingest {

    private static final int BUSY = 75;
    private static final int LOOK_AGAIN = 200;

    private final Fetch fetch;
    private final IngestionClient client;

    Ingest(Fetch fetch, IngestionClient client) {
        this.fetch = fetch;
        this.client = client;
    }

    /**
     * Fetches the event, then requests its ingestion.
     *
     * @return the event that is being ingested
     * @throws IngestionException if it is still being ingested by another run after {@code wait}
     */
    String start(String source, String track, String wait) throws IOException, InterruptedException, SQLException {
        fetch.all(source);
        return client.start(source, track, wait);
    }

    /** Ingests one event, and ends the process with how it ended. */
    public static void main(String[] arguments) throws IOException, InterruptedException, SQLException {
        Environment environment = Environment.system();
        Map<String, String> variables = System.getenv();
        Settings settings = Settings.of(variables);
        StagedPages pages = new StagedPages(Database.open(settings.database()));
        Fetch fetch = new Fetch(new Source(settings.source()), pages, environment);
        IngestionClient client = new IngestionClient(
                URI.create(variables.getOrDefault("INTERLOCK_SERVER", "http://127.0.0.1:8080")),
                variables.getOrDefault("INTERLOCK_API_KEY", ""));
        System.exit(new Ingest(fetch, client).run(arguments, System.out, System.err));
    }

    private int run(String[] arguments, PrintStream out, PrintStream err)
            throws IOException, InterruptedException, SQLException {
        try {
            out.println("fetching " + Page.ofEvent(arguments[0]));
            String event = start(arguments[0], arguments[1], arguments.length > 2 ? arguments[2] : "0s");
            out.println("event " + event);
            return follow(event, out);
        } catch (IngestionException refused) {
            err.println(refused.code() + ": " + refused.getMessage());
            return refused.code().equals("INGESTION_IN_PROGRESS") ? BUSY : 1;
        } catch (TransientFailureException | PermanentFailureException failed) {
            err.println(failed.getMessage());
            return 1;
        }
    }

    private int follow(String event, PrintStream out) throws IOException, InterruptedException {
        String shown = "";
        while (true) {
            Map<String, String> state = client.state(event);
            String now = "  " + state.getOrDefault("stage", "waiting")
                    + (state.containsKey("progress.done")
                            ? " " + state.get("progress.done") + "/" + state.get("progress.total")
                            : "");
            if (!now.equals(shown)) {
                out.println(now);
                shown = now;
            }
            if (client.hasEnded(state.getOrDefault("run_id", ""))) {
                state = client.state(event);
                String error = state.get("error.code");
                out.println(error == null ? "complete" : error + ": " + state.get("error.message"));
                return error == null ? 0 : 1;
            }
            // Never counted down: a sleep that an interrupt ends.
            new CountDownLatch(1).await(LOOK_AGAIN, TimeUnit.MILLISECONDS);
        }
    }
}
