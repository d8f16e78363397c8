package io.interlock.client;

import io.interlock.client.ServerConnection.Answer;
import io.interlock.client.ServerConnection.RequestAbort;
import io.interlock.service.Facts;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits at a server for work, one question at a time, on a thread of its own. A question without a clear answer is asked again under
 * the same name, so that what it may have brought is not lost; a server that was away in between does no harm. Safe for use by many
 * threads.
 */
final class WorkPoll implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WorkPoll.class);
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration LAST_WORD = Duration.ofSeconds(10);

    private final ServerConnection client;
    private final Environment environment;
    private final Timers pauses;
    private final RequestAbort hangUp = new RequestAbort();
    private final List<Facts> brought = new ArrayList<>();
    private Runnable lookAgain = () -> {};
    private @Nullable ClaimRequest asked;
    private boolean closed;
    private boolean givenUp;

    WorkPoll(ServerConnection client, Environment environment) {
        this.client = client;
        this.environment = environment;
        this.pauses = environment.timers("interlock-claims");
    }

    /** Calls {@code lookAgain} when there is something to fetch. */
    ChangeFeed.Subscription watch(Runnable lookAgain) {
        tell(lookAgain);
        return () -> tell(() -> {});
    }

    private synchronized void tell(Runnable listener) {
        this.lookAgain = listener;
    }

    /** The work that has arrived; if there is none, {@code request} is sent unless one is under way. */
    synchronized List<Facts> fetch(ClaimRequest request) {
        if (brought.isEmpty() && asked == null && !closed) {
            asked = request;
            begin(request);
        }
        return List.copyOf(brought);
    }

    /** {@code item} was fetched, and is no business of ours any more. */
    synchronized void fetched(Facts item) {
        brought.remove(item);
        notifyAll();
    }

    /**
     * Asks for nothing any more. The answer to the request under way was fetched when this returns, unless the server or the
     * engine takes too long: then its runs are left to other workers.
     */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        hangUp.now();
        Timers.Scheduled limit = pauses.after(LAST_WORD, this::giveUp);
        boolean interrupted = false;
        synchronized (this) {
            while (!givenUp && (asked != null || !brought.isEmpty())) {
                try {
                    wait();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        }
        limit.cancel();
        pauses.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void giveUp() {
        givenUp = true;
        log.warn("what the last question about work has brought is left to others: it was not begun in time");
        notifyAll();
    }

    // Never on the thread of the pauses, which must be free to give up.
    private void begin(ClaimRequest request) {
        try {
            environment.threads("interlock-claim").newThread(() -> ask(request)).start();
        } catch (RuntimeException | Error noThread) {
            log.warn("there is no thread to ask for work on, retrying: {}", noThread.toString());
            pauses.after(PAUSE, () -> begin(request));
        }
    }

    private void ask(ClaimRequest request) {
        Optional<List<Facts>> items = question(request, WAIT, hangUp);
        if (items.isEmpty() && isClosed()) {
            // We hung up, perhaps at the moment when it was answered.
            items = question(request, Duration.ZERO, new RequestAbort());
        }
        if (items.isPresent() || isClosed()) {
            answered(items.orElse(List.of()));
        } else {
            pauses.after(PAUSE, () -> begin(request));
        }
    }

    /** The claimed runs; empty if the answer is unclear and must be asked for again. */
    private Optional<List<Facts>> question(ClaimRequest request, Duration wait, RequestAbort whileWaiting) {
        try {
            Answer answer = client.tryPost("/claims", body(request, wait), wait, whileWaiting);
            if (answer.isGood() && answer.body().map().get("items") instanceof List<?>) {
                return Optional.of(answer.body().list("items"));
            }
            log.warn(
                    "no work could be taken, asking again: {}",
                    answer.body().text("detail").orElse("status " + answer.status()));
        } catch (RuntimeException | Error unclear) {
            log.debug("no clear answer about work: {}", unclear.toString());
        }
        return Optional.empty();
    }

    private void answered(List<Facts> items) {
        Runnable listener;
        synchronized (this) {
            brought.addAll(items);
            asked = null;
            listener = lookAgain;
        }
        listener.run();
        synchronized (this) {
            notifyAll();
        }
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
                .and("wait", wait);
    }
}
