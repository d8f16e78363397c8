package io.interlock.config;

import io.interlock.InvalidSettingException;
import io.interlock.engine.access.ApiKey;
import io.interlock.engine.access.KeyRing;
import io.interlock.engine.notify.Notification;
import io.interlock.engine.schedule.MaintenanceWindows;
import io.interlock.run.Retention;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The whole configuration, validated.
 *
 * @param keys configured API keys, for stores that keep none
 * @param jobs by name, sorted
 * @param windows keys under which nothing starts at some times
 * @param tenants how many runs of a tenant may be running at once, by tenant
 * @param webhooks the signed senders that may start workflows
 * @param privateNetworks private networks to which jobs and notifications may send
 * @param oidc the OpenID provider with which people sign in, or {@code null} if there is none
 */
public record InterlockSettings(
        String store,
        Listen listen,
        Limits limits,
        Worker worker,
        History history,
        Metrics metrics,
        List<KeySettings> keys,
        Map<String, JobSettings> jobs,
        List<MaintenanceWindows.NoStart> windows,
        Map<String, Integer> tenants,
        List<NotifySettings> notifications,
        List<WebhookSettings> webhooks,
        List<SqsSettings> sqs,
        List<String> privateNetworks,
        @Nullable OidcSettings oidc) {

    public InterlockSettings {
        keys = List.copyOf(keys);
        jobs = Collections.unmodifiableMap(new LinkedHashMap<>(jobs));
        windows = List.copyOf(windows);
        tenants = Map.copyOf(tenants);
        notifications = List.copyOf(notifications);
        webhooks = List.copyOf(webhooks);
        sqs = List.copyOf(sqs);
        privateNetworks = List.copyOf(privateNetworks);
    }

    /**
     * The worker of this process.
     *
     * @param tenant the tenant whose runs it executes, or {@code null} for all tenants
     * @param grace how long work may continue after a stop request
     */
    public record Worker(
            boolean enabled, int slots, @Nullable String tenant, Duration sweepEvery, Duration grace) {}

    /**
     * How long records are kept.
     *
     * @param auditKey the key that signs the audit log, or {@code null} if it is not signed
     */
    public record History(
            Retention retention,
            Duration idempotency,
            @Nullable Secret auditKey) {}

    /**
     * The tags of metrics.
     *
     * @param tenant whether metrics have a tag for the tenant
     * @param maxTenants the maximum number of tenants in metrics
     */
    public record Metrics(boolean tenant, int maxTenants) {}

    /** Without the store's password. */
    @Override
    public String toString() {
        return "listening at " + listen + " with jobs " + jobs.keySet();
    }

    /**
     * An API key in the configuration, for stores that keep none.
     *
     * @param secret the key itself
     */
    public record KeySettings(KeyRing.KeyOrder order, Secret secret) {

        /**
         * Reads the key.
         *
         * @throws InvalidSettingException if its file cannot be read or contains no key
         */
        public ApiKey key() {
            return ApiKey.parse(secret.reveal())
                    .orElseThrow(() -> new InvalidSettingException(
                            "secret-file",
                            String.valueOf(secret.file()),
                            "holds no API key",
                            "write a key into it, as printed by 'interlock keys create'"));
        }
    }

    /**
     * A notification to send.
     *
     * @param tenant the tenant whose events are sent, or {@code null} for all
     */
    public record NotifySettings(
            Set<Notification.Kind> on, To to, @Nullable String tenant) {

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

            /** An incoming webhook of Slack, whose address is its secret; only its host is shown. */
            record Slack(URI url) implements To {

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

    /** A sender that starts workflows with signed messages. */
    public record WebhookSettings(String trigger, String tenant, SignatureKind signature, Secret secret) {

        /** How a sender of webhooks signs. */
        public enum SignatureKind {
            /** Standard Webhooks. */
            STANDARD,
            /** The signatures of Stripe. */
            STRIPE
        }
    }
}
