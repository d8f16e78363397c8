package io.interlock.engine.notify;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.Sha256;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Who is told of what.
 *
 * @param name under which it is kept what was told already; a rule with a new name is told what happens from then on
 * @param tenant only what happens to this tenant, or {@code null} for all
 */
public record NotifyRule(
        String name,
        Set<Notification.Kind> on,
        NotifyTarget target,
        @Nullable String tenant) {

    private static final int MAX_NAME = 100;

    public NotifyRule {
        on = Set.copyOf(on);
        if (on.isEmpty()) {
            throw new InvalidSettingException("notify on", "[]", "is empty", "name what should be told");
        }
        if (name.isBlank() || name.length() > MAX_NAME) {
            throw new InvalidSettingException(
                    "notify name",
                    name,
                    "must have 1 to " + MAX_NAME + " characters",
                    "leave it out, or name the receiver");
        }
        LockKey.of("interlock", "notify/" + name);
    }

    /** A rule named after what it says: a rule that says something else is another one. */
    public static NotifyRule of(Set<Notification.Kind> on, NotifyTarget target, @Nullable String tenant) {
        String all = target.identity() + '\0' + new TreeSet<>(on) + '\0' + (tenant == null ? "" : tenant);
        return new NotifyRule(target.shown().replaceAll("[^A-Za-z0-9._-]+", "-") + digest(all), on, target, tenant);
    }

    boolean wants(Notification notification) {
        return on.contains(notification.kind())
                && (tenant == null || tenant.equals(notification.key().tenant()));
    }

    private static String digest(String text) {
        return "-" + Sha256.hex(text).substring(0, 12);
    }
}
