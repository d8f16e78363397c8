package io.interlock.cli.backend;

import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Runs, by a server. */
final class ServerRuns implements RunApi {

    private static final int MANY = 1000;

    private final ServerClient client;

    ServerRuns(ServerClient client) {
        this.client = client;
    }

    @Override
    public List<Facts> list(Filter filter) {
        return client.items(
                filter.limit(),
                "/runs",
                "key",
                filter.key() == null ? "" : filter.key(),
                "state",
                filter.state() == null ? "" : filter.state().toUpperCase(Locale.ROOT),
                "job",
                filter.job() == null ? "" : filter.job(),
                "since",
                filter.since() == null ? "" : filter.since().toString());
    }

    @Override
    public List<Facts> dead(@Nullable String job, int limit) {
        return client.items(
                limit,
                letter -> letter.in("settled").isEmpty(),
                "/runs",
                "state",
                "DEAD",
                "job",
                job == null ? "" : job);
    }

    @Override
    public Facts show(String id) {
        return client.get("/runs/" + checked(id), "output", "true");
    }

    @Override
    public Facts await(String id, Duration most) {
        return client.getWithin(most, "/runs/" + checked(id));
    }

    @Override
    public List<Facts> queue(@Nullable String key) {
        List<Facts> waiting = new ArrayList<>();
        for (Facts run : client.items(MANY, "/runs", "key", key == null ? "" : key, "state", "QUEUED")) {
            // Only a run by itself says which place it has, and why it waits.
            Facts one = client.get("/runs/" + run.shown("id"));
            waiting.add(run.and("explanation", one.shown("explanation"))
                    .and("position", one.values().get("position")));
        }
        waiting.sort(Comparator.comparing((Facts run) -> run.shown("key"))
                .thenComparing(run -> run.number("position").orElse(Long.MAX_VALUE)));
        return waiting;
    }

    @Override
    public Facts submit(Wish wish) {
        return client.post(
                "/runs",
                Facts.with("key", wish.key())
                        .and("job", wish.job())
                        .and(
                                "onConflict",
                                wish.onConflict() == null
                                        ? null
                                        : wish.onConflict()
                                                .toUpperCase(Locale.ROOT)
                                                .replace('-', '_'))
                        .and("parameters", JsonReader.raw(wish.parameters()))
                        .and("reason", wish.reason())
                        .and("idempotencyKey", wish.idempotencyKey())
                        .and("priority", wish.priority())
                        .done());
    }

    @Override
    public Facts rerun(String id, String reason) {
        Facts run = show(id);
        if (run.shown("execution").equals("caller")) {
            throw EngineRuns.doneByCaller(id, run.shown("key"));
        }
        return client.post(
                "/runs",
                Facts.with("key", run.shown("key"))
                        .and("job", run.shown("job"))
                        .and("onConflict", run.text("onConflict").orElse(null))
                        .and("parameters", run.values().get("parameters"))
                        .and("labels", run.in("labels"))
                        .and("priority", run.number("priority").orElse(0))
                        .and("reason", reason)
                        .done());
    }

    @Override
    public Facts cancel(String id, String reason) {
        return order(id, "cancel", reason);
    }

    @Override
    public Facts redrive(String id, String reason) {
        return order(id, "redrive", reason);
    }

    @Override
    public Facts discard(String id, String reason) {
        return order(id, "discard", reason);
    }

    private Facts order(String id, String verb, String reason) {
        return client.post(
                "/runs/" + checked(id) + "/" + verb,
                Facts.with("reason", reason).done());
    }

    private static String checked(String id) {
        if (!id.matches("[0-9A-Za-z-]{1,64}")) {
            throw Failure.unknown("there is no run called '" + id + "'", "interlock runs ls shows those there are");
        }
        return id;
    }
}
