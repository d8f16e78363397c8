package io.interlock.cli.backend;

import io.interlock.client.Requests;
import io.interlock.service.Facts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Commands as requests of the REST API: the same on a store and through a server. */
abstract class RestBackend implements Backend {

    /** What answers. */
    abstract Requests requests();

    /** The time by which pauses end. */
    abstract Instant time();

    @Override
    public final List<Facts> locks(String prefix) {
        return requests().items(MAX_LISTED, "/locks", "key", prefix.isEmpty() ? "" : prefix + "*");
    }

    @Override
    public final Facts lock(String key) {
        return requests().items(1, "/locks", "key", key).stream()
                .findFirst()
                .orElseGet(() -> Facts.with("key", key).and("explanation", key + " is free"));
    }

    @Override
    public final Facts evict(String key, long token, String reason) {
        return requests()
                .post("/locks/evict", Facts.with("key", key).and("token", token).and("reason", reason));
    }

    @Override
    public final Facts pause(String pattern, String reason, @Nullable Duration time) {
        Instant until = time == null ? null : time().plus(time);
        return requests().post("/locks/pause", named(pattern, reason).and("until", until));
    }

    @Override
    public final void resume(String pattern, String reason) {
        requests().post("/locks/resume", named(pattern, reason));
    }

    private static Facts named(String pattern, String reason) {
        return Facts.with(pattern.endsWith("*") ? "pattern" : "key", pattern).and("reason", reason);
    }

    @Override
    public final RunApi runs() {
        return new RunApi(requests());
    }

    @Override
    public final KeyApi keys() {
        return new KeyApi(requests());
    }

    /** The fields of {@code filter} as a query. */
    static String[] query(Facts filter) {
        return filter.map().entrySet().stream()
                .flatMap(field -> Stream.of(field.getKey(), String.valueOf(field.getValue())))
                .toArray(String[]::new);
    }
}
