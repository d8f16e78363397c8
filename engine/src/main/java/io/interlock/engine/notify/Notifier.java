package io.interlock.engine.notify;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.engine.http.PinnedHttp;
import io.interlock.engine.notify.Delivery.NotificationSender;
import io.interlock.engine.notify.NotifyRule.NotifyTarget;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import io.interlock.locks.runtime.Loop;
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunQueries;
import io.interlock.time.Environment;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tells the outside world what its rules say. Nothing is missed: it follows the sealed audit log, and keeps in the store how far
 * each rule was told, so that a crash or a receiver that is away only delays it. One process at a time does it for a rule, under a
 * lease like any other ({@code interlock:notify/<rule>}).
 *
 * <p>A notification may arrive twice, if a process dies between telling and keeping that it did. Its id is the same then.
 *
 * <p>Needs {@link io.interlock.engine.audit.AuditSealer} to run somewhere. Safe for use by many threads.
 */
public final class Notifier implements AutoCloseable {

    private final List<RuleFollower> followers;

    /**
     * Begins.
     *
     * @param locks on the same store; not closed with this
     * @throws InvalidSettingException if two rules have one name
     */
    public Notifier(
            Collection<NotifyRule> rules,
            Sources sources,
            Locks locks,
            PostSender poster,
            Listener listener,
            Environment environment) {
        Set<String> names = new HashSet<>();
        rules.forEach(rule -> {
            if (!names.add(rule.name())) {
                throw new InvalidSettingException(
                        "notify", rule.name(), "is there twice", "leave one out, or give each a name");
            }
        });
        followers = rules.stream()
                .map(rule -> new RuleFollower(
                        rule,
                        delivery(rule.target(), poster, environment),
                        sources,
                        new RuleLease(locks, rule.name()),
                        listener,
                        environment))
                .toList();
    }

    /** Tells no more. What was not told yet is told by another process, or later. May be called twice. */
    @Override
    public void close() {
        followers.forEach(RuleFollower::close);
    }

    private static Delivery delivery(NotifyTarget target, PostSender poster, Environment environment) {
        return target instanceof NotifyTarget.Web web
                ? new Delivery.ByWebhook(web, poster)
                : new Delivery.ByCommand((NotifyTarget.Command) target, environment);
    }

    /** Hears of notifications that were given up. It must return soon. */
    @FunctionalInterface
    public interface Listener {
        void givenUp(NotifyRule rule, Notification notification, String why);
    }

    /**
     * The parts of a store that notifications come from.
     *
     * @param notes where it is kept what was told already
     */
    public record Sources(AuditLog audit, RunQueries runs, RunNotes notes) {}

    /** Sends a POST, only to where that is allowed. */
    @FunctionalInterface
    public interface PostSender {

        /** How long a receiver may take to answer. */
        Duration WITHIN = Duration.ofSeconds(10);

        /**
         * Sends a POST and waits for its answer.
         *
         * @return the status
         * @throws IOException if there was no answer in time
         */
        int post(URI url, Map<String, String> headers, byte[] body) throws IOException;

        /** By HTTP, under the rules of {@code http} about where requests may go. */
        static PostSender over(PinnedHttp http) {
            return (url, headers, body) ->
                    http.post(url, headers, body, WITHIN).send().status();
        }
    }

    /** Something that notifications come from. Belongs to one thread. */
    interface Stream {

        /** How long to rest when there is nothing to tell. */
        Duration POLL = Duration.ofSeconds(2);

        /** Tells what there is to tell, and says how long to rest. */
        Duration advance();
    }

    /** Sees to it that one process at a time tells what a rule says. Belongs to one thread at a time. */
    static final class RuleLease {

        static final String TENANT = "interlock";

        private final Locks locks;
        private final LockKey key;
        private @Nullable Lease lease;
        private volatile boolean closed;

        RuleLease(Locks locks, String rule) {
            this.locks = locks;
            key = LockKey.of(TENANT, "notify/" + rule);
        }

        /** Whether this process has the lease, and is to go on; asks for it if it does not have it. */
        boolean isMine() {
            if (!closed && (lease == null || !lease.isHeld())) {
                leave();
                lease = locks.tryAcquire(key).lease().orElse(null);
            }
            return !closed && lease != null;
        }

        /** Tells no more here. Called by any thread; the lease is left by the thread that tells. */
        void close() {
            closed = true;
        }

        boolean isClosed() {
            return closed;
        }

        void leave() {
            if (lease != null) {
                lease.close();
                lease = null;
            }
        }
    }

    /** Tells what one rule says, while it is this process's turn, on a thread of its own: no receiver holds up another. */
    private static final class RuleFollower {

        private final RuleLease ruleLease;
        private final Environment environment;
        private final List<Stream> streams = new ArrayList<>();
        private final Map<Stream, Long> restUntil = new HashMap<>();
        private final ReentrantLock round = new ReentrantLock();
        private final Loop loop;

        RuleFollower(
                NotifyRule rule,
                Delivery delivery,
                Sources sources,
                RuleLease ruleLease,
                Listener listener,
                Environment environment) {
            this.ruleLease = ruleLease;
            this.environment = environment;
            streams.add(new ChainStream(
                    rule, sources, ruleLease, new NotificationSender(rule, delivery, listener, environment)));
            if (rule.on().contains(Notification.Kind.DEAD_LETTER_WAITING)) {
                NotificationSender sender = new NotificationSender(rule, delivery, listener, environment);
                streams.add(new DeadLetterWatch(rule, sources, ruleLease, sender, environment));
            }
            loop = Loop.paced(environment, "notify-" + rule.name(), Stream.POLL, this::runOnce);
        }

        /** Tells what there is to tell, and says how long to rest. */
        private Duration runOnce() {
            round.lock();
            try {
                if (!ruleLease.isMine()) {
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
                if (ruleLease.isClosed()) {
                    leave();
                }
            }
        }

        /** Tells no more, and lets another process have the turn as soon as the notification at hand is out. */
        void close() {
            ruleLease.close();
            loop.close();
            leave();
        }

        // A round under way does it when it ends.
        private void leave() {
            if (round.tryLock()) {
                try {
                    ruleLease.leave();
                } finally {
                    round.unlock();
                }
            }
        }
    }
}
