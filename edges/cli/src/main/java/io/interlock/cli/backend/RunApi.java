package io.interlock.cli.backend;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.client.Requests;
import io.interlock.service.Facts;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Runs, their queues and dead letters. */
public final class RunApi {

    private final Requests requests;

    RunApi(Requests requests) {
        this.requests = requests;
    }

    public enum Order {
        /** Submits the same once more. */
        RERUN,
        CANCEL,
        /** Moves a waiting run before all others of its key that are ready. */
        FRONT,
        /** Submits a new run for a dead letter. */
        REDRIVE,
        /** Settles a dead letter without a new run. */
        DISCARD
    }

    /**
     * The first {@code limit} runs, the newest first.
     *
     * @param filter {@code key?, state?, job?, holder?, label?, error?, since?, failedSince?}
     */
    public List<Facts> list(Facts filter, int limit) {
        return requests.items(limit, "/runs", RestBackend.query(filter));
    }

    /** Dead letters that are not settled, the newest first; only of {@code job}, unless it is {@code null}. */
    public List<Facts> dead(@Nullable String job, int limit) {
        return requests.items(limit, "/runs", "state", "DEAD", "unsettled", "true", "job", job == null ? "" : job);
    }

    /** One run with its attempts, stages, parameters and output. */
    public Facts show(String id) {
        return requests.get(path(id), "output", "true");
    }

    /** One run, when it has ended or {@code maxWait} is over. */
    public Facts await(String id, Duration maxWait) throws InterruptedException {
        return requests.getWithin(maxWait, path(id));
    }

    /**
     * Queued runs of {@code key} from the front; with {@code null}, of all keys: {@code key, place, id, job, submittedBy, priority,
     * waitingSince, startsAt?, …}.
     */
    public List<Facts> queue(@Nullable String key) {
        if (key != null) {
            return queued(key);
        }
        return requests.items(Backend.MAX_LISTED, lock -> lock.number("waiting").orElse(0) > 0, "/locks").stream()
                .flatMap(lock -> queued(lock.shown("key")).stream())
                .toList();
    }

    private List<Facts> queued(String key) {
        return requests.items(Backend.MAX_LISTED, "/locks/line", "key", key).stream()
                .map(waiter -> waiter.and("key", key))
                .toList();
    }

    /**
     * Submits a run for a worker.
     *
     * @param wish {@code key, job, onConflict?, parameters, reason?, idempotencyKey?, priority}
     */
    public Facts submit(Facts wish) {
        return requests.post("/runs", wish);
    }

    public Facts order(Order order, String id, String reason) {
        if (order == Order.RERUN) {
            Facts run = show(id);
            if (run.shown("execution").equals("caller")) {
                throw new Failure(
                        ExitCode.FAILED,
                        "run " + id + " was done by its caller, and only the caller can do it again",
                        "type the command again: interlock run " + run.shown("key") + " -- …");
            }
        }
        return requests.post(path(id) + "/" + order.name().toLowerCase(Locale.ROOT), Facts.with("reason", reason));
    }

    private static String path(String id) {
        if (!id.matches("[0-9A-Za-z-]{1,64}")) {
            throw Failure.unknown("there is no run called '" + id + "'", "interlock runs ls lists the runs");
        }
        return "/runs/" + id;
    }
}
