package io.interlock.engine.notify;

import io.interlock.DurationText;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells one notification after the other, and knows how often the one at hand has failed. A receiver that is away is tried for
 * a day; one that is there and does not want it, eight times. A notification that has waited for more than a day gets five tries, so
 * that a receiver that is away for long does not hold up what is new for ever. Belongs to one thread.
 */
final class NotificationSender {

    static final Duration TRY_FOR = Duration.ofHours(24);
    static final int TRIES_IF_REFUSED = 8;
    static final int TRIES_IF_OLD = 5;
    private static final Logger log = LoggerFactory.getLogger(NotificationSender.class);
    private static final Duration FIRST_REST = Duration.ofSeconds(5);
    private static final Duration LONGEST_REST = Duration.ofHours(1);
    private static final int MOST_DOUBLINGS = 10;

    private final NotifyRule rule;
    private final Delivery delivery;
    private final Notifier.Listener listener;
    private final Environment environment;
    private @Nullable String failing;
    private Instant since = Instant.EPOCH;
    private int tries;

    NotificationSender(NotifyRule rule, Delivery delivery, Notifier.Listener listener, Environment environment) {
        this.rule = rule;
        this.delivery = delivery;
        this.listener = listener;
        this.environment = environment;
    }

    /** Tries once; says how long to rest before the next try, or nothing if there need not be one. */
    Optional<Duration> tell(Notification notification) {
        Delivery.Result result = delivery.deliver(notification);
        if (result instanceof Delivery.Result.Failed failed) {
            return failed(notification, failed);
        }
        if (notification.id().equals(failing)) {
            log.info(
                    "delivered to {} notification {} after {} tries",
                    rule.target().shown(),
                    notification.id(),
                    tries + 1);
        }
        failing = null;
        listener.delivered(rule, notification);
        return Optional.empty();
    }

    private Optional<Duration> failed(Notification notification, Delivery.Result.Failed failed) {
        Instant now = environment.clock().instant();
        if (!notification.id().equals(failing)) {
            failing = notification.id();
            since = now;
            tries = 0;
            log.warn(
                    "could not deliver to {} notification {}; retrying: {}",
                    rule.target().shown(),
                    notification.id(),
                    failed.why());
        }
        tries++;
        if (isEnough(notification, failed, now)) {
            failing = null;
            log.error(
                    "gave up delivering to {} notification {} after {} tries in {}: {}; it was: {}",
                    rule.target().shown(),
                    notification.id(),
                    tries,
                    DurationText.format(Duration.between(since, now)),
                    failed.why(),
                    notification.explanation());
            listener.givenUp(rule, notification, failed.why());
            return Optional.empty();
        }
        listener.failed(rule, notification, failed.why());
        return Optional.of(rest());
    }

    private boolean isEnough(Notification notification, Delivery.Result.Failed failed, Instant now) {
        boolean old = Duration.between(notification.at(), now).compareTo(TRY_FOR) > 0;
        return Duration.between(since, now).compareTo(TRY_FOR) > 0
                || (failed.refused() && tries >= TRIES_IF_REFUSED)
                || (old && tries >= TRIES_IF_OLD);
    }

    private Duration rest() {
        Duration rest = FIRST_REST.multipliedBy(1L << Math.min(tries - 1, MOST_DOUBLINGS));
        Duration most = rest.compareTo(LONGEST_REST) < 0 ? rest : LONGEST_REST;
        return Duration.ofNanos(
                (long) (most.toNanos() * (0.5 + environment.random().nextDouble() / 2)));
    }
}
