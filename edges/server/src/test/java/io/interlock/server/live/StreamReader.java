package io.interlock.server.live;

import io.interlock.server.EngineRig;
import io.vertx.core.json.JsonObject;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads an event stream as a browser would. */
final class StreamReader implements AutoCloseable {

    /** One event; {@code data} is empty for a comment, {@code id} before the first place is known. */
    record Event(String id, String type, JsonObject data) {}

    final int status;
    final String body;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final Stream<String> lines;
    private volatile boolean ended;

    StreamReader(EngineRig rig, String query, @Nullable String key, String... headers) {
        HttpResponse<Stream<String>> response = rig.http()
                .sendAsync(rig.request("/stream" + query, key, headers).GET().build(), BodyHandlers.ofLines())
                .join();
        status = response.statusCode();
        lines = response.body();
        if (status == 200) {
            body = "";
            rig.environment.threads("test-stream").newThread(this::read).start();
        } else {
            body = String.join("", lines.toList());
        }
    }

    private void read() {
        String id = "";
        String type = "message";
        StringBuilder data = new StringBuilder();
        try {
            Iterator<String> all = lines.iterator();
            while (all.hasNext()) {
                String line = all.next();
                if (line.isEmpty()) {
                    events.add(
                            new Event(id, type, data.isEmpty() ? new JsonObject() : new JsonObject(data.toString())));
                    type = "message";
                    data.setLength(0);
                } else if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("event: ")) {
                    type = line.substring(7);
                } else if (line.startsWith("data: ")) {
                    data.append(line.substring(6));
                }
            }
        } catch (UncheckedIOException gone) {
            // Closed by either side.
        } finally {
            ended = true;
        }
    }

    boolean hasEnded() {
        return ended;
    }

    /** The next event that {@code wanted} accepts; all before it are dropped. */
    Event next(Predicate<Event> wanted) throws InterruptedException {
        List<Event> others = new ArrayList<>();
        while (true) {
            Event event = events.poll(20, TimeUnit.SECONDS);
            if (event == null) {
                throw new AssertionError("no such event, but " + others);
            }
            if (wanted.test(event)) {
                return event;
            }
            others.add(event);
        }
    }

    Event next(String type) throws InterruptedException {
        return next(event -> event.type().equals(type));
    }

    /** The events that have come so far and that no call has taken. */
    List<Event> rest() {
        List<Event> rest = new ArrayList<>();
        events.drainTo(rest);
        return rest;
    }

    @Override
    public void close() {
        lines.close();
    }
}
