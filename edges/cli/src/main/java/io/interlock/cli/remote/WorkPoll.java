package io.interlock.cli.remote;

import io.interlock.cli.backend.HangUp;
import io.interlock.cli.backend.ServerClient;
import io.interlock.cli.backend.ServerClient.Answer;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.WorkFeed;
import io.interlock.time.Environment;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits at a server for work, one question at a time, on a thread of its own. A question without a clear answer is asked again under
 * the same name, so that what it may have brought is not lost; a server that was away in between does no harm. Safe for use by many
 * threads.
 */
final class WorkPoll implements WorkFeed, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WorkPoll.class);
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final ServerClient client;
    private final Environment environment;
    private final Timers pauses;
    private final HangUp hangUp = new HangUp();
    private final List<Facts> brought = new ArrayList<>();
    private Runnable lookAgain = () -> {};
    private @Nullable ClaimRequest asked;
    private boolean closed;

    WorkPoll(ServerClient client, Environment environment) {
        this.client = client;
        this.environment = environment;
        this.pauses = environment.timers("interlock-claims");
    }

    /** Calls {@code lookAgain} when there is something to fetch. A server gives out the work of one tenant only. */
    @Override
    public ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain) {
        tell(lookAgain);
        return () -> tell(() -> {});
    }

    private synchronized void tell(Runnable listener) {
        this.lookAgain = listener;
    }

    /** What a question has brought; if there is nothing and nobody asks, {@code request} is asked from now on. */
    synchronized List<Facts> fetch(ClaimRequest request) {
        if (brought.isEmpty() && asked == null && !closed) {
            asked = request;
            environment.threads("interlock-claim").newThread(() -> ask(request)).start();
        }
        return List.copyOf(brought);
    }

    /** {@code item} was fetched, and is no business of ours any more. */
    synchronized void fetched(Facts item) {
        brought.remove(item);
    }

    /** Asks for nothing any more; what the question under way has brought is there to fetch when this returns. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        hangUp.now();
        boolean interrupted = false;
        synchronized (this) {
            while (asked != null) {
                try {
                    wait();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        }
        pauses.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void ask(ClaimRequest request) {
        Answer answer = null;
        try {
            answer = client.tryPost("/claims", body(request, WAIT), WAIT, hangUp);
        } catch (Failure unclear) {
            log.debug("no clear answer about work: {}", unclear.what());
        }
        if (answer == null && isClosed()) {
            answer = lastTime(request);
        }
        if (answer != null && answer.isGood()) {
            answered(answer.body().list("items"));
        } else if (isClosed()) {
            answered(List.of());
        } else {
            if (answer != null) {
                log.warn(
                        "no work could be taken, asking again: {}",
                        answer.body().shown("detail"));
            }
            pauses.after(PAUSE, () -> ask(request));
        }
    }

    // We hung up, perhaps at the moment when it was answered.
    private @Nullable Answer lastTime(ClaimRequest request) {
        try {
            return client.tryPost("/claims", body(request, Duration.ZERO), Duration.ZERO);
        } catch (Failure unclear) {
            log.warn("what the last question about work has brought is left to others: {}", unclear.what());
            return null;
        }
    }

    private void answered(List<Facts> items) {
        Runnable listener;
        synchronized (this) {
            brought.addAll(items);
            asked = null;
            listener = lookAgain;
            notifyAll();
        }
        listener.run();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private static Facts body(ClaimRequest request, Duration wait) {
        return Facts.with("claimId", request.id())
                .and("worker", request.holder().label())
                .and(
                        "jobs",
                        request.jobs().stream().map(Object::toString).sorted().toList())
                .and("max", request.max())
                .and("wait", wait)
                .done();
    }
}
