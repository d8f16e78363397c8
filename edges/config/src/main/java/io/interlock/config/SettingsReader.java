package io.interlock.config;

import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.access.Role;
import io.interlock.engine.access.KeyRing;
import io.interlock.engine.http.HttpRules.Network;
import io.interlock.engine.notify.Notification;
import io.interlock.engine.schedule.MaintenanceWindow;
import io.interlock.engine.schedule.MaintenanceWindows;
import io.interlock.run.Retention;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the settings, and checks that they do not contradict each other. */
final class SettingsReader {

    private static final Duration LONGEST_POLL = Duration.ofSeconds(30);
    private static final Duration SHORTEST_IDEMPOTENCY = Duration.ofHours(24);

    private static final int HIGHEST_PORT = 65_535;
    private static final int MANY = 1_000_000;

    /** What is sent to the URL of a notification. */
    private enum NotifyFormat {
        STANDARD,
        SLACK
    }

    private final Reading reading;
    private final String usualStore;

    /** A reader. */
    SettingsReader(Reading reading, String usualStore) {
        this.reading = reading;
        this.usualStore = usualStore;
    }

    InterlockSettings read() {
        List<MaintenanceWindows.NoStart> windows = windows();
        Map<String, JobSettings> jobs = jobs(windows);
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
                keys(),
                jobs,
                windows,
                tenants(),
                notifications(),
                webhooks(triggers),
                new SqsSettings.Reader(reading).read(),
                networks("private-networks"),
                reading.sources().children("auth").isEmpty() ? null : oidc());
    }

    private @Nullable OidcSettings oidc() {
        String at = "auth.oidc.";
        String issuer = reading.text(at + "issuer");
        String client = reading.text(at + "client-id");
        if (issuer == null || client == null) {
            reading.mistake(
                    at + (issuer == null ? "issuer" : "client-id"), "is missing; sign-in with a provider needs both");
            return null;
        }
        URI provider = reading.address(at + "issuer", issuer);
        if (!"https".equalsIgnoreCase(provider.getScheme()) && !isLoopback(provider)) {
            reading.mistake(at + "issuer", "'" + issuer + "' must be https, because what it says is believed");
        }
        boolean hasSecret = reading.isSet(at + "client-secret") || reading.isSet(at + "client-secret-file");
        String url = reading.text(at + "url");
        List<String> scopes = reading.words(at + "scopes");
        return new OidcSettings(
                provider,
                client,
                hasSecret ? reading.secret(at + "client-", "prove who asks the provider") : null,
                reading.requiredText(at + "name"),
                url == null ? null : reading.address(at + "url", url),
                scopes.isEmpty() ? List.of("openid", "profile", "email") : scopes,
                reading.requiredText(at + "roles-claim"),
                reading.text(at + "tenant-claim"),
                grants(at + "grants"));
    }

    private List<OidcSettings.Grant> grants(String list) {
        List<OidcSettings.Grant> grants = new ArrayList<>();
        reading.forEach(list, at -> {
            String value = reading.requiredText(at + "value");
            if (value.isEmpty()) {
                reading.mistake(at + "value", "is missing; name a value of the claim, such as a group");
            }
            String tenant = reading.tenant(at + "tenant");
            reading.role(at + "role", "that the value gives")
                    .ifPresent(role -> grants.add(new OidcSettings.Grant(value, tenant, role)));
        });
        return grants;
    }

    private static boolean isLoopback(URI address) {
        return address.getHost().matches("(?i)localhost|127(\\.\\d{1,3}){3}|\\[::1]");
    }

    private String store() {
        String store = reading.sources()
                .find("store")
                .map(found -> found.text().strip())
                .orElse(usualStore);
        if (!store.matches("(?i)(memory|sqlite|postgresql|mariadb|rediss?|etcds?|firestore):.*")) {
            reading.mistake(
                    "store",
                    "has no known scheme; write memory:, sqlite:PATH, postgresql://user:password@host:port/db,"
                            + " mariadb://user:password@host:port/db, redis://host:port, etcd://host:port,… or firestore://project");
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
        Duration idle = reading.duration("limits.idle");
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
                positive("limits.arrival"),
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
        return new InterlockSettings.Worker(
                reading.flag("worker.enabled"),
                reading.number("worker.slots", 1, 10_000),
                reading.optionalTenant("worker.tenant"),
                positive("janitor.interval"),
                notNegative("shutdown.grace"));
    }

    private InterlockSettings.History history() {
        Duration runs = reading.duration("history.runs");
        Duration dead = reading.duration("history.dead-letters");
        Duration audit = reading.duration("history.audit");
        Duration wanted = reading.duration("idempotency.keep");
        boolean tooLong = !reading.isSet("idempotency.keep") && wanted.compareTo(runs) > 0;
        Duration keep = tooLong ? runs : wanted;
        if (keep.compareTo(SHORTEST_IDEMPOTENCY) < 0 || keep.compareTo(runs) > 0) {
            reading.mistake(
                    "idempotency.keep",
                    "'" + DurationText.format(keep) + "' must be from " + DurationText.format(SHORTEST_IDEMPOTENCY)
                            + " to history.runs, which is " + DurationText.format(runs));
        }
        Retention retention = reading.made("history", () -> new Retention(runs, dead, audit), Retention.DEFAULT);
        return new InterlockSettings.History(retention, keep, reading.secretFile("audit.key-file"));
    }

    private List<MaintenanceWindows.NoStart> windows() {
        List<MaintenanceWindows.NoStart> all = new ArrayList<>();
        reading.forEach("maintenance", at -> {
            String tenant = reading.tenant(at + "tenant");
            List<MaintenanceWindow> windows = reading.windows(at + "no-start");
            List<String> keys = reading.words(at + "keys");
            if (!reading.isSet(at + "no-start") && !reading.isSet(at + "no-start[0]")) {
                reading.mistake(at + "no-start", "is missing; write when nothing may start");
            }
            if (keys.isEmpty()) {
                reading.mistake(at + "keys", "is missing; name keys, as in pipeline/*, or write * for all");
            }
            for (String key : keys) {
                reading.tried(at + "keys", () -> new MaintenanceWindows.NoStart(tenant, key, windows))
                        .ifPresent(all::add);
            }
        });
        return all;
    }

    private Map<String, JobSettings> jobs(List<MaintenanceWindows.NoStart> windows) {
        int queueCap = reading.number("limits.queue", 1, MANY);
        Map<String, JobSettings> jobs = new TreeMap<>();
        Map<String, String> triggers = new TreeMap<>();
        for (String name : reading.sources().children("jobs")) {
            JobReader reader = new JobReader(reading, queueCap, name);
            JobSettings job = reader.read();
            reader.noStart(job.api()).ifPresent(windows::add);
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
        checkNodes(jobs);
        return jobs;
    }

    private Map<String, Integer> tenants() {
        Map<String, Integer> tenants = new TreeMap<>();
        for (String name : reading.sources().children("tenants")) {
            String tenant = reading.tenant("tenants." + name, plain(name));
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

    private Duration positive(String property) {
        Duration value = notNegative(property);
        if (value.isZero()) {
            reading.mistake(property, "'0s' must be above 0s");
        }
        return value;
    }

    private Duration notNegative(String property) {
        Duration value = reading.duration(property);
        if (value.isNegative()) {
            reading.mistake(property, "'" + DurationText.format(value) + "' is negative");
        }
        return value;
    }

    /** A name that contains dots is quoted in property names. */
    static String plain(String name) {
        return name.startsWith("\"") ? name.substring(1, name.length() - 1) : name;
    }

    private List<InterlockSettings.KeySettings> keys() {
        List<InterlockSettings.KeySettings> all = new ArrayList<>();
        reading.forEach("keys", at -> {
            String tenant = reading.tenant(at + "tenant");
            String label = reading.requiredText(at + "label");
            Optional<Role> role = reading.role(at + "role", "of the key");
            Secret secret = reading.secretFile(at + "secret-file");
            if (secret == null) {
                reading.mistake(at + "secret-file", "is missing; name a file with the key");
            } else {
                role.ifPresent(given -> all.add(
                        new InterlockSettings.KeySettings(new KeyRing.KeyOrder(tenant, given, label, null), secret)));
            }
        });
        return all;
    }

    private List<InterlockSettings.NotifySettings> notifications() {
        return reading.entries(
                "notify",
                at -> new InterlockSettings.NotifySettings(
                        kinds(at + "on"), target(at), reading.optionalTenant(at + "tenant")));
    }

    private Set<Notification.Kind> kinds(String property) {
        Set<Notification.Kind> kinds = EnumSet.noneOf(Notification.Kind.class);
        List<String> known = Stream.of(Notification.Kind.values())
                .map(Notification.Kind::word)
                .toList();
        for (String word : reading.words(property)) {
            try {
                kinds.add(Notification.Kind.parse(word));
            } catch (InterlockException unknown) {
                reading.mistake(
                        property,
                        "has '" + word + "', which is not one of " + String.join(", ", known)
                                + Reading.nearest(word, known));
            }
        }
        if (reading.words(property).isEmpty()) {
            reading.mistake(property, "is missing; choose from " + String.join(", ", known));
        }
        return kinds;
    }

    private InterlockSettings.NotifySettings.To target(String at) {
        String url = reading.text(at + "url");
        List<String> command = reading.words(at + "command");
        if ((url == null) == command.isEmpty()) {
            reading.mistake(at + "url", "or command must be set, but not both");
        }
        boolean slack = reading.choice(at + "format", NotifyFormat.class)
                .filter(NotifyFormat.SLACK::equals)
                .isPresent();
        if (slack && url == null) {
            reading.mistake(at + "format", "is only for notifications that go to a url");
        }
        if (slack && (reading.isSet(at + "secret-file") || reading.isSet(at + "secret"))) {
            reading.mistake(
                    at + "format",
                    "'slack' is not signed; remove the secret, and keep the url secret instead, for example in the"
                            + " environment");
        }
        if (slack && url != null) {
            return new InterlockSettings.NotifySettings.To.Slack(reading.address(at + "url", url));
        }
        return url == null
                ? new InterlockSettings.NotifySettings.To.Command(command)
                : new InterlockSettings.NotifySettings.To.Webhook(
                        reading.address(at + "url", url), reading.secret(at, "sign the notifications"));
    }

    private List<InterlockSettings.WebhookSettings> webhooks(Set<String> triggers) {
        return reading.entries("webhooks", at -> {
            String trigger = reading.requiredText(at + "trigger");
            if (!triggers.contains(trigger)) {
                reading.mistake(
                        at + "trigger",
                        (trigger.isEmpty() ? "is missing" : "'" + trigger + "' starts no workflow") + "; there are "
                                + triggers + Reading.nearest(trigger, triggers));
            }
            return new InterlockSettings.WebhookSettings(
                    trigger,
                    reading.tenant(at + "tenant"),
                    reading.choice(at + "signature", InterlockSettings.WebhookSettings.SignatureKind.class)
                            .orElse(InterlockSettings.WebhookSettings.SignatureKind.STANDARD),
                    reading.secret(at, "check signatures"));
        });
    }

    /** Each node of a workflow is an existing job, named once, and has no nodes itself. */
    private void checkNodes(Map<String, JobSettings> jobs) {
        jobs.forEach((name, job) -> {
            if (job.work() instanceof Work.Nodes nodes) {
                String at = Configuration.property(name, "run.nodes");
                if (job.api() != CompatApi.WORKFLOWS) {
                    reading.mistake(
                            at,
                            "is only for jobs with api: workflows; this one has api: "
                                    + job.api().word());
                }
                Set<String> seen = new HashSet<>();
                for (String node : nodes.jobs()) {
                    if (!seen.add(node)) {
                        reading.mistake(at, "has '" + node + "' twice; name each node once");
                    } else {
                        requireNode(at, node, jobs.get(node));
                    }
                }
            }
        });
    }

    private void requireNode(String at, String node, @Nullable JobSettings job) {
        if (job == null) {
            reading.mistake(at, "has '" + node + "', which is not a job; define it below jobs");
        } else if (job.work() instanceof Work.Nodes) {
            reading.mistake(at, "has '" + node + "', which has nodes itself; list its nodes here instead");
        }
    }
}
