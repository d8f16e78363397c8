package io.interlock.client;

import io.interlock.client.ServerConnection.RequestAbort;
import io.interlock.spi.ChangeFeed;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * Asks a server to answer when something may have changed, again and again, on a thread of its own. A question without an answer brings no
 * wake-up: waiters look by themselves, too. Safe for use by many threads.
 */
final class LongPoll implements ChangeFeed.Subscription {

    private static final Duration PAUSE = Duration.ofMillis(250);

    private final Environment environment;
    private final Timers pauses;
    private final Predicate<RequestAbort> question;
    private final Runnable lookAgain;
    private final RequestAbort hangUp = new RequestAbort();
    private volatile boolean over;

    /**
     * Begins to ask.
     *
     * @param question waits at the server, and says whether something may have changed
     */
    static LongPoll begin(
            Environment environment, Timers pauses, Predicate<RequestAbort> question, Runnable lookAgain) {
        LongPoll poll = new LongPoll(environment, pauses, question, lookAgain);
        poll.start();
        return poll;
    }

    private LongPoll(Environment environment, Timers pauses, Predicate<RequestAbort> question, Runnable lookAgain) {
        this.environment = environment;
        this.pauses = pauses;
        this.question = question;
        this.lookAgain = lookAgain;
    }

    @Override
    public void close() {
        over = true;
        hangUp.now();
    }

    private void start() {
        if (over) {
            return;
        }
        try {
            environment.threads("interlock-long-poll").newThread(this::ask).start();
        } catch (RuntimeException | Error noThread) {
            startLater();
        }
    }

    private void ask() {
        try {
            if (question.test(hangUp)) {
                lookAgain.run();
            }
        } catch (ProblemException | UnreachableException noWakeUp) {
            // Asked again below.
        } finally {
            startLater();
        }
    }

    // Not at once: a key that is free and not granted, because it is paused, would be answered again and again.
    private void startLater() {
        pauses.after(PAUSE, this::start);
    }
}
