package io.interlock.server.live;

import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.live.LiveFeed.LiveStream;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** {@code streamEvents}: events as they happen, until the client goes away. */
public final class StreamOperation {

    private static final String EVENT_STREAM = "text/event-stream";

    private final OperationContext context;
    private final LiveFeed feed;
    private final int mostOfAKey;
    private final ConcurrentMap<String, Integer> open = new ConcurrentHashMap<>();

    private StreamOperation(OperationContext context, LiveFeed feed, int mostOfAKey) {
        this.context = context;
        this.feed = feed;
        this.mostOfAKey = mostOfAKey;
    }

    /**
     * Adds it to {@code operations}.
     *
     * @param mostOfAKey how many streams an API key may have open at this node
     */
    public static void addTo(Operations operations, OperationContext context, int mostOfAKey) {
        LiveFeed feed = new LiveFeed(context);
        operations
                .on("streamEvents", new StreamOperation(context, feed, mostOfAKey)::stream)
                .onStop(feed::close);
    }

    private CompletionStage<Reply> stream(Call call) {
        String lastSeen = call.optional("Last-Event-ID", String.class).orElse("");
        List<String> topics = call.words("topic");
        String key = call.caller().key().id();
        enter(key);
        call.whenOver(() -> leave(key));
        // No place given: from now on, and where that is, the log says.
        return context.blocking(call, () -> {
                    feed.begin(call.tenant());
                    return lastSeen.isEmpty()
                            ? context.engine()
                                    .queries()
                                    .chain(Long.MAX_VALUE, 1)
                                    .head()
                            : place(lastSeen);
                })
                .thenApply(place -> Reply.stream(
                        Map.of("Content-Type", EVENT_STREAM, "X-Accel-Buffering", "no"),
                        response -> begin(call, topics, response, place)));
    }

    private void begin(Call call, List<String> topics, HttpServerResponse response, long place) {
        LiveStream stream = new LiveStream(call, topics, response, Vertx.currentContext());
        stream.moveTo(place);
        // The first line shows the client that it is connected, and where.
        String from = place < 0 ? "" : "id: " + place + "\n";
        stream.write(
                ": events of tenant " + call.tenant() + "\nretry: 2000\n" + from + "\n",
                context.environment().ticker().nanos());
        feed.add(stream);
        call.whenOver(() -> feed.remove(stream));
    }

    /** A place that cannot be one is before the first: the feed answers that with a reset. */
    private static long place(String lastSeen) {
        return lastSeen.matches("\\d{1,18}") ? Long.parseLong(lastSeen) : -1;
    }

    private void enter(String key) {
        int now = open.merge(key, 1, Integer::sum);
        if (now > mostOfAKey) {
            leave(key);
            throw Problem.of(
                            ProblemCode.TOO_MANY_STREAMS,
                            "The API key has " + mostOfAKey + " event streams open, which is the limit.")
                    .with("limit", mostOfAKey)
                    .retryAfter(Duration.ofSeconds(5));
        }
    }

    private void leave(String key) {
        open.computeIfPresent(key, (id, count) -> count == 1 ? null : count - 1);
    }
}
