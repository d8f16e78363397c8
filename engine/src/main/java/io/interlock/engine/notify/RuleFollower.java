package io.interlock.engine.notify;

import io.interlock.engine.schedule.internal.Loop;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Tells what one rule says, while it is this process's turn, on a thread of its own: no receiver holds up another. */
final class RuleFollower {

    private static final Duration LEAVE_WITHIN = Duration.ofSeconds(2);

    private final RuleLease ruleLease;
    private final Environment environment;
    private final List<Stream> streams = new ArrayList<>();
    private final Map<Stream, Long> restUntil = new HashMap<>();
    private final ReentrantLock round = new ReentrantLock();
    private final Loop loop;
    private boolean closed;

    RuleFollower(
            NotifyRule rule,
            Delivery delivery,
            NotifySources sources,
            RuleLease ruleLease,
            NotifyListener listener,
            Environment environment) {
        this.ruleLease = ruleLease;
        this.environment = environment;
        streams.add(new ChainStream(
                rule, sources, ruleLease, new NotificationSender(rule, delivery, listener, environment)));
        if (rule.on().contains(NotificationKind.DEAD_LETTER_WAITING)) {
            NotificationSender sender = new NotificationSender(rule, delivery, listener, environment);
            streams.add(new DeadLetterWatch(rule, sources, ruleLease, sender, environment));
        }
        loop = Loop.paced(environment, "notify-" + rule.name(), Stream.POLL, this::runOnce);
    }

    /** Tells what there is to tell, and says how long to rest. */
    private Duration runOnce() {
        round.lock();
        try {
            if (closed || !ruleLease.isMine()) {
                return Stream.POLL;
            }
            long now = environment.ticker().nanos();
            long next = now + Stream.POLL.toNanos();
            for (Stream stream : streams) {
                long until = restUntil.getOrDefault(stream, now);
                if (until - now <= 0) {
                    until = now + stream.advance().toNanos();
                    restUntil.put(stream, until);
                }
                next = Math.min(next, until);
            }
            return Duration.ofNanos(next - now);
        } finally {
            round.unlock();
        }
    }

    /** Tells no more, and lets another process have the turn as soon as the notification at hand is out. */
    void close() {
        loop.close();
        boolean mine = false;
        try {
            mine = round.tryLock(LEAVE_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
            if (mine) {
                closed = true;
                ruleLease.leave();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            if (mine) {
                round.unlock();
            }
        }
    }
}
