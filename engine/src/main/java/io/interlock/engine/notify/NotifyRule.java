package io.interlock.engine.notify;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.Sha256;
import io.interlock.engine.http.HttpRules;
import io.interlock.engine.http.WebhookSigner;
import java.net.URI;
import java.time.Duration;
import java.util.List;
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

    /** Where notifications go. */
    public sealed interface NotifyTarget {

        /** What people may see of it, without secrets. */
        String shown();

        /** All of it, for telling it from others. Not for logs. */
        String identity();

        /**
         * A signed POST, as Standard Webhooks has it.
         *
         * @param url where to; its path and query are not shown, for some receivers keep their secret there
         * @param signer signs it, with one secret, or with two while the secret is being changed
         */
        record Webhook(URI url, WebhookSigner signer) implements Web {

            public Webhook {
                HttpRules.requireWeb("notify url", url, hidden(url));
            }

            @Override
            public String toString() {
                return shown();
            }
        }

        /**
         * A message to an incoming webhook of Slack, or of a product that takes the same messages.
         *
         * @param url where to; it is the receiver's secret, so its path and query are not shown
         */
        record Slack(URI url) implements Web {

            public Slack {
                HttpRules.requireWeb("notify url", url, hidden(url));
            }

            @Override
            public String toString() {
                return shown();
            }
        }

        /** Somewhere a POST goes to. */
        sealed interface Web extends NotifyTarget {

            URI url();

            @Override
            default String shown() {
                return hidden(url());
            }

            @Override
            default String identity() {
                return url().toString();
            }
        }

        private static String hidden(URI url) {
            String port = url.getPort() < 0 ? "" : ":" + url.getPort();
            return url.getScheme() + "://" + url.getHost() + port + "/…";
        }

        /**
         * A command that reads the notification as JSON from its input, and ends with 0 when it has taken it in.
         *
         * @param within how long it may take before it is killed
         */
        record Command(List<String> argv, Duration within) implements NotifyTarget {

            public static final Duration DEFAULT_WITHIN = Duration.ofSeconds(30);

            private static final Duration LONGEST = Duration.ofMinutes(10);

            public Command {
                argv = List.copyOf(argv);
                if (argv.isEmpty() || argv.get(0).isBlank()) {
                    throw new InvalidSettingException(
                            "notify command", argv, "names no program", "write program and arguments");
                }
                if (within.isNegative() || within.isZero() || within.compareTo(LONGEST) > 0) {
                    throw new InvalidSettingException(
                            "notify within",
                            DurationText.format(within),
                            "must be above 0s and at most " + DurationText.format(LONGEST),
                            "let it start something in the background if it takes longer");
                }
            }

            @Override
            public String shown() {
                return argv.get(0);
            }

            @Override
            public String identity() {
                return String.join("\0", argv);
            }

            @Override
            public String toString() {
                return shown();
            }
        }
    }
}
