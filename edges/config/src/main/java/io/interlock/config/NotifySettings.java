package io.interlock.config;

import io.interlock.engine.notify.NotificationKind;
import java.net.URI;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Somebody to tell.
 *
 * @param on what
 * @param to where to
 * @param tenant only what happens to this tenant, or {@code null} for all
 */
public record NotifySettings(
        Set<NotificationKind> on, To to, @Nullable String tenant) {

    /** Copies the kinds. */
    public NotifySettings {
        on = Set.copyOf(on);
    }

    /** Where to. */
    public sealed interface To {

        /** A signed POST; only its host is shown. */
        record Webhook(URI url, Secret secret) implements To {

            @Override
            public String toString() {
                return url.getScheme() + "://" + url.getHost() + "/…";
            }
        }

        /** A program that reads it from its input. */
        record Command(List<String> words) implements To {

            /** Copies the words. */
            public Command {
                words = List.copyOf(words);
            }
        }
    }
}
