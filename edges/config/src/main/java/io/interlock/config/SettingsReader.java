package io.interlock.config;

import io.interlock.DurationText;
import io.interlock.LockKey;
import io.interlock.engine.http.Network;
import io.interlock.run.Retention;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the settings, and checks that they do not contradict each other. */
final class SettingsReader {

    private static final Duration LONGEST_POLL = Duration.ofSeconds(30);
    private static final Duration SHORTEST_IDEMPOTENCY = Duration.ofHours(24);

    /** Senders of webhooks retry for days: Stripe for three. */
    private static final Duration USUAL_IDEMPOTENCY = Duration.ofDays(3);

    private static final int HIGHEST_PORT = 65_535;
    private static final int MANY = 1_000_000;

    private final Reading reading;
    private final String usualStore;

    /** A reader. */
    SettingsReader(Reading reading, String usualStore) {
        this.reading = reading;
        this.usualStore = usualStore;
    }

    InterlockSettings read() {
        Map<String, JobSettings> jobs = jobs();
        Set<String> triggers = new TreeSet<>();
        jobs.values().forEach(job -> triggers.addAll(job.triggers().keySet()));
        return new InterlockSettings(
                store(),
                listen(),
                limits(),
                worker(),
                history(),
                new InterlockSettings.Metrics(
                        reading.flag("metrics.tenant"), reading.number("metrics.max-tenants", 1, 10_000)),
                new KeyReader(reading).read(),
                jobs,
                tenants(),
                new NotifyReader(reading).read(),
                new WebhookReader(reading, triggers).read(),
                new SqsReader(reading).read(),
                networks("private-networks"));
    }

    private String store() {
        String store = reading.sources()
                .find("store")
                .map(found -> found.text().strip())
                .orElse(usualStore);
        if (!store.matches("(?i)(memory|sqlite|postgresql|mariadb|redis|rediss):.*")) {
            reading.mistake(
                    "store",
                    "has no known scheme; write memory:, sqlite:PATH, postgresql://user:password@host:port/db,"
                            + " mariadb://user:password@host:port/db or redis://host:port");
        }
        return store;
    }

    private Listen listen() {
        int port = reading.number("port", 0, HIGHEST_PORT);
        Integer management = reading.optionalNumber("management-port", 0, HIGHEST_PORT);
        if (management != null && management == port && port != 0) {
            reading.mistake("management-port", "'" + management + "' equals port; choose another port, or remove it");
        }
        return new Listen(
                reading.requiredText("host"),
                port,
                management,
                reading.flag("behind-proxy"),
                tls(),
                networks("trusted-proxies"));
    }

    private Listen.@Nullable Tls tls() {
        String certificate = reading.text("tls.certificate");
        String key = reading.text("tls.key");
        if (certificate == null && key == null) {
            return null;
        }
        if (certificate == null || key == null) {
            reading.mistake(
                    certificate == null ? "tls.key" : "tls.certificate", "is set without the other; TLS needs both");
            return null;
        }
        return new Listen.Tls(certificate, key);
    }

    private Limits limits() {
        Duration idle = reading.duration("limits.idle", Limits.DEFAULT.idle());
        if (idle.compareTo(LONGEST_POLL) <= 0) {
            reading.mistake(
                    "limits.idle",
                    "'" + DurationText.format(idle) + "' is too short, because a poll may be idle for "
                            + DurationText.format(LONGEST_POLL) + "; raise it above that");
        }
        return new Limits(
                reading.number("limits.body", 1_024, 16 * 1024 * 1024),
                reading.number("limits.depth", 5, 200),
                reading.number("limits.requests-per-second", 1, MANY),
                positive("limits.arrival", Limits.DEFAULT.arrival()),
                idle,
                reading.number("limits.streams", 1, 10_000),
                new Limits.Tenant(
                        reading.number("limits.open-runs", 1, MANY),
                        reading.number("limits.open-payload", 1, MANY),
                        reading.number("limits.requests", 1, MANY),
                        reading.number("limits.waits", 1, MANY),
                        reading.number("limits.api-keys", 1, MANY)),
                connections());
    }

    private Limits.Connections connections() {
        Integer most = reading.optionalNumber("limits.connections", 10, MANY);
        Integer ofAnAddress = reading.optionalNumber("limits.connections-per-address", 1, MANY);
        if (most != null && ofAnAddress != null && ofAnAddress > most) {
            reading.mistake(
                    "limits.connections-per-address",
                    "'" + ofAnAddress + "' is above limits.connections, which is " + most + "; lower it");
        }
        return new Limits.Connections(most, ofAnAddress);
    }

    private InterlockSettings.Worker worker() {
        String tenant = reading.text("worker.tenant");
        return new InterlockSettings.Worker(
                reading.flag("worker.enabled"),
                reading.number("worker.slots", 1, 10_000),
                tenant == null ? null : tenant("worker.tenant", tenant),
                positive("janitor.interval", Duration.ofSeconds(5)),
                notNegative("shutdown.grace", Duration.ofSeconds(30)));
    }

    private InterlockSettings.History history() {
        Duration runs = reading.duration("history.runs", Retention.DEFAULT.runs());
        Duration dead = reading.duration("history.dead-letters", Retention.DEFAULT.deadLetters());
        Duration audit = reading.duration("history.audit", Retention.DEFAULT.audit());
        Duration wanted = reading.duration("idempotency.keep", USUAL_IDEMPOTENCY);
        boolean tooLong = !reading.isSet("idempotency.keep") && wanted.compareTo(runs) > 0;
        Duration keep = tooLong ? runs : wanted;
        if (keep.compareTo(SHORTEST_IDEMPOTENCY) < 0 || keep.compareTo(runs) > 0) {
            reading.mistake(
                    "idempotency.keep",
                    "'" + DurationText.format(keep) + "' must be from " + DurationText.format(SHORTEST_IDEMPOTENCY)
                            + " to history.runs, which is " + DurationText.format(runs));
        }
        Retention retention = reading.made("history", () -> new Retention(runs, dead, audit), Retention.DEFAULT);
        String keyFile = reading.text("audit.key-file");
        return new InterlockSettings.History(
                retention, keep, keyFile == null ? null : new Secret(null, Path.of(keyFile)));
    }

    private Map<String, JobSettings> jobs() {
        int queueCap = reading.number("limits.queue", 1, MANY);
        Map<String, JobSettings> jobs = new TreeMap<>();
        Map<String, String> triggers = new TreeMap<>();
        for (String name : reading.sources().children("jobs")) {
            JobSettings job = new JobReader(reading, queueCap, name).read();
            jobs.put(plain(name), job);
            for (String trigger : job.triggers().keySet()) {
                String other = triggers.putIfAbsent(trigger, plain(name));
                if (other != null) {
                    reading.mistake(
                            "jobs." + name + ".triggers",
                            "has '" + trigger + "', which already starts job " + other + "; name it once");
                }
            }
        }
        new NodeRules(reading).check(jobs);
        return jobs;
    }

    private Map<String, Integer> tenants() {
        Map<String, Integer> tenants = new TreeMap<>();
        for (String name : reading.sources().children("tenants")) {
            String tenant = tenant("tenants." + name, plain(name));
            Integer most = reading.optionalNumber("tenants." + name + ".max-running", 1, MANY);
            if (most != null) {
                tenants.put(tenant, most);
            }
        }
        return tenants;
    }

    private List<String> networks(String property) {
        List<String> networks = reading.words(property);
        return reading.made(
                property,
                () -> {
                    networks.forEach(network -> Objects.requireNonNull(Network.parse(network)));
                    return networks;
                },
                List.of());
    }

    private String tenant(String property, String name) {
        return reading.made(property, () -> LockKey.of(name, "any").tenant(), LockKey.DEFAULT_TENANT);
    }

    private Duration positive(String property, Duration otherwise) {
        Duration value = notNegative(property, otherwise);
        if (value.isZero()) {
            reading.mistake(property, "'0s' must be above 0s");
            return otherwise;
        }
        return value;
    }

    private Duration notNegative(String property, Duration otherwise) {
        Duration value = reading.duration(property, otherwise);
        if (value.isNegative()) {
            reading.mistake(property, "'" + DurationText.format(value) + "' is negative");
            return otherwise;
        }
        return value;
    }

    /** A name that contains dots is quoted in property names. */
    static String plain(String name) {
        return name.startsWith("\"") ? name.substring(1, name.length() - 1) : name;
    }
}
