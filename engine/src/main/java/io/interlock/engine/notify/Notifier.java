package io.interlock.engine.notify;

import io.interlock.InvalidSettingException;
import io.interlock.locks.Locks;
import io.interlock.time.Environment;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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

    private Notifier(List<RuleFollower> followers) {
        this.followers = followers;
    }

    /**
     * Begins.
     *
     * @param locks on the same store; not closed with this
     * @throws InvalidSettingException if two rules have one name
     */
    public static Notifier start(
            Collection<NotifyRule> rules,
            NotifySources sources,
            Locks locks,
            PostSender poster,
            NotifyListener listener,
            Environment environment) {
        Set<String> names = new HashSet<>();
        rules.forEach(rule -> {
            if (!names.add(rule.name())) {
                throw new InvalidSettingException(
                        "notify", rule.name(), "is there twice", "leave one out, or give each a name");
            }
        });
        return new Notifier(rules.stream()
                .map(rule -> new RuleFollower(
                        rule,
                        delivery(rule.target(), poster, environment),
                        sources,
                        new RuleLease(locks, rule.name()),
                        listener,
                        environment))
                .toList());
    }

    /** Tells no more. What was not told yet is told by another process, or later. May be called twice. */
    @Override
    public void close() {
        followers.forEach(RuleFollower::close);
    }

    private static Delivery delivery(NotifyTarget target, PostSender poster, Environment environment) {
        return target instanceof NotifyTarget.Webhook webhook
                ? new WebhookDelivery(webhook, poster)
                : new CommandDelivery((NotifyTarget.Command) target, environment);
    }
}
