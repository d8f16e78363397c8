package io.interlock.config;

import io.interlock.run.Retention;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The whole configuration, checked.
 *
 * @param store the store's URL, with its password
 * @param listen where a server listens
 * @param limits what one client may ask
 * @param worker what this process does itself
 * @param history how long things are kept
 * @param metrics what meters tell apart
 * @param keys API keys it is given, where the store keeps none
 * @param jobs by name, in the order of their names
 * @param tenants how many runs of a tenant may be under way at once, by tenant
 * @param notifications whom to tell
 * @param webhooks who may start workflows by signing what it sends
 * @param sqs queues whose messages are started as runs
 * @param privateNetworks networks that are not public, to which jobs and notifications may send
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
        Map<String, Integer> tenants,
        List<NotifySettings> notifications,
        List<WebhookSettings> webhooks,
        List<SqsSettings> sqs,
        List<String> privateNetworks) {

    /** Copies the collections. */
    public InterlockSettings {
        keys = List.copyOf(keys);
        jobs = Collections.unmodifiableMap(new LinkedHashMap<>(jobs));
        tenants = Map.copyOf(tenants);
        notifications = List.copyOf(notifications);
        webhooks = List.copyOf(webhooks);
        sqs = List.copyOf(sqs);
        privateNetworks = List.copyOf(privateNetworks);
    }

    /**
     * What this process does itself.
     *
     * @param enabled whether it takes runs
     * @param slots how many at once
     * @param tenant whose, or {@code null} for everybody's
     * @param sweepEvery how often its janitor sweeps
     * @param grace how long work may go on after a request to stop
     */
    public record Worker(
            boolean enabled, int slots, @Nullable String tenant, Duration sweepEvery, Duration grace) {

        /** Whose runs it does, if not everybody's. */
        public Optional<String> onlyFor() {
            return Optional.ofNullable(tenant);
        }
    }

    /**
     * How long things are kept.
     *
     * @param retention runs, dead letters, audit records
     * @param idempotency idempotency keys
     * @param auditKey what signs the audit log, or {@code null} if it is not signed
     */
    public record History(
            Retention retention,
            Duration idempotency,
            @Nullable Secret auditKey) {}

    /**
     * What meters tell apart.
     *
     * @param tenant whether they carry the tenant
     * @param maxTenants the most tenants they tell apart
     */
    public record Metrics(boolean tenant, int maxTenants) {}

    /** Without the store's password. */
    @Override
    public String toString() {
        return "listening at " + listen + " with jobs " + jobs.keySet();
    }
}
