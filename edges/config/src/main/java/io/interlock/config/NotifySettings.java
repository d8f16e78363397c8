package io.interlock.config;

import io.interlock.engine.notify.NotificationKind;
import java.net.URI;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A notification to send.
 *
 * @param tenant the tenant whose events are sent, or {@code null} for all
 */
public record NotifySettings(
        Set<NotificationKind> on, To to, @Nullable String tenant) {

    public NotifySettings {
        on = Set.copyOf(on);
    }

    /** The receiver of a notification. */
    public sealed interface To {

        /** A signed POST; only its host is shown. */
        record Webhook(URI url, Secret secret) implements To {

            @Override
            public String toString() {
                return url.getScheme() + "://" + url.getHost() + "/…";
            }
        }

        /** A program that reads the notification from stdin. */
        record Command(List<String> words) implements To {

            public Command {
                words = List.copyOf(words);
            }
        }
    }
}
