package io.interlock.cli.backend;

import io.interlock.cli.text.Facts;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Locks, by a server. */
final class ServerLocks implements LockApi {

    private final ServerClient client;
    private final Environment environment;

    ServerLocks(ServerClient client, Environment environment) {
        this.client = client;
        this.environment = environment;
    }

    @Override
    public List<Facts> list(String prefix) {
        return client.items(MOST, "/locks", "key", prefix.isEmpty() ? "" : prefix + "*");
    }

    @Override
    public Facts show(String key) {
        List<Facts> found = client.items(1, "/locks", "key", key);
        if (found.isEmpty()) {
            return Facts.with("key", key)
                    .and("state", "FREE")
                    .and("waiting", 0)
                    .and("explanation", key + " is free")
                    .done();
        }
        return withReason(found.get(0));
    }

    @Override
    public Facts evict(String key, long token, String reason) {
        return client.post(
                "/locks/evict",
                Facts.with("key", key).and("token", token).and("reason", reason).done());
    }

    @Override
    public Facts pause(String pattern, String reason, @Nullable Duration time) {
        return client.post(
                "/locks/pause",
                named(pattern)
                        .and("reason", reason)
                        .and(
                                "until",
                                time == null
                                        ? null
                                        : environment.clock().instant().plus(time))
                        .done());
    }

    @Override
    public void resume(String pattern, String reason) {
        client.post("/locks/resume", named(pattern).and("reason", reason).done());
    }

    /** The run knows why it is wanted, and the lock does not. */
    private Facts withReason(Facts lock) {
        Facts holder = lock.in("holder");
        if (holder.text("runId").isEmpty() || holder.text("reason").isPresent()) {
            return lock;
        }
        String reason = client.get("/runs/" + holder.shown("runId")).shown("reason");
        return reason.isEmpty() ? lock : lock.and("holder", holder.and("reason", reason));
    }

    private static Facts.Builder named(String pattern) {
        return Facts.with(pattern.endsWith("*") ? "pattern" : "key", pattern);
    }
}
