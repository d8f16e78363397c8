package io.interlock.server.operation;

import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.config.Configuration;
import io.interlock.config.EffectiveProperty;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.api.Call;
import io.interlock.server.api.Call.Cursor;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.service.AdminFacts;
import io.interlock.service.Facts;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** API keys and configuration over HTTP: for admins, of their own tenant only; the bootstrap key sees the whole configuration. */
public final class AccessOperations {

    private static final String KEYS = "keys";

    private final KeyRing keys;
    private final Configuration configuration;
    private final InstantSource clock;

    private AccessOperations(KeyRing keys, Configuration configuration, InstantSource clock) {
        this.keys = keys;
        this.configuration = configuration;
        this.clock = clock;
    }

    /** Adds them; only those that change nothing, if the store keeps no keys. */
    public static void addTo(
            Operations operations, KeyRing keys, Configuration configuration, InstantSource clock, boolean keepsKeys) {
        AccessOperations access = new AccessOperations(keys, configuration, clock);
        operations.on("listKeys", access::list).on("getConfig", access::configuration);
        if (keepsKeys) {
            operations
                    .on("createKey", access::create)
                    .on("revokeKey", access::revoke)
                    .on("revokeKeyByQuery", access::revoke);
        }
    }

    private CompletionStage<Reply> list(Call call) {
        Optional<String> after = Cursor.place(call, KEYS);
        int limit = call.limit();
        return keys.list(call.tenant()).thenApply(all -> {
            // Keys are never forgotten, so the last one of the page before is still there.
            int from = after.map(id -> place(all, id) + 1).orElse(0);
            int to = Math.min(all.size(), from + limit);
            return Reply.ok(Facts.with(
                            "items",
                            all.subList(from, to).stream().map(this::json).toList())
                    .and(
                            "cursor",
                            to == all.size()
                                    ? null
                                    : Cursor.of(KEYS, all.get(to - 1).id())));
        });
    }

    private static int place(List<AccessKey> all, String id) {
        return IntStream.range(0, all.size())
                .filter(i -> all.get(i).id().equals(id))
                .findFirst()
                .orElse(all.size() - 1);
    }

    private CompletionStage<Reply> create(Call call) {
        Role role = Role.valueOf(call.body().getString("role").toUpperCase(Locale.ROOT));
        KeyRing.KeyOrder order = new KeyRing.KeyOrder(
                call.tenant(),
                role,
                call.body().getString("label", role.name().toLowerCase(Locale.ROOT)),
                call.duration("expiresIn").orElse(null));
        return keys.issue(
                        order,
                        call.actor(),
                        configuration.settings().limits().tenant().apiKeys())
                .thenApply(this::created);
    }

    private Reply created(KeyRing.IssuedKey issued) {
        return Reply.created(
                json(issued.kept()).and("apiKey", issued.secret().text()),
                "/api/v1/keys/" + issued.kept().id());
    }

    private CompletionStage<Reply> revoke(Call call) {
        String id = call.required("id", String.class);
        String reason = call.optional("reason", String.class).orElse("revoked over HTTP");
        return keys.revoke(call.tenant(), id, call.actor(), reason).thenApply(revoked -> {
            if (revoked.isEmpty()) {
                throw Call.notFound("API key", id);
            }
            return Reply.nothing();
        });
    }

    private CompletionStage<Reply> configuration(Call call) {
        boolean all = KeyRing.isBootstrap(call.caller().key());
        TenantView view = new TenantView(configuration.effective(), call.tenant());
        return CompletableFuture.completedFuture(Reply.items((all ? configuration.effective() : view.properties())
                .stream()
                        .map(property -> Facts.with("name", property.name())
                                .and("value", property.value())
                                .and("origin", property.origin()))
                        .toList()));
    }

    private Facts json(AccessKey key) {
        return AdminFacts.apiKey(key, clock.instant());
    }

    /**
     * The part of a configuration that one tenant sees: limits, retention, the terms of jobs, its own quota and notifications. It hides the parts of the server, the work of jobs and other tenants.
     */
    private record TenantView(List<EffectiveProperty> all, String tenant) {

        private static final String ROOT = "interlock.";
        private static final Set<String> COMMON = Set.of("limits", "history", "idempotency");
        private static final Pattern OF_JOB = Pattern.compile("jobs\\.(\"[^\"]*\"|[^.]+)\\.(.+)");
        private static final Pattern OF_TENANT = Pattern.compile("tenants\\.(\"[^\"]*\"|[^.]+)\\..+");
        private static final Pattern OF_ENTRY = Pattern.compile("((?:notify|maintenance)\\[\\d+])\\..+");

        List<EffectiveProperty> properties() {
            Map<String, String> byName = all.stream()
                    .collect(Collectors.toMap(
                            property -> plain(property.name()), EffectiveProperty::value, (a, b) -> a));
            return all.stream()
                    .filter(property -> concerns(plain(property.name()), byName))
                    .toList();
        }

        private boolean concerns(String name, Map<String, String> byName) {
            if (COMMON.contains(name.replaceFirst("\\..*", ""))) {
                return true;
            }
            Matcher job = OF_JOB.matcher(name);
            if (job.matches()) {
                String property = job.group(2);
                boolean scheduled = property.startsWith("schedule") || property.startsWith("no-start");
                return !property.startsWith("run.")
                        && (!scheduled || tenant.equals(byName.get("jobs." + job.group(1) + ".schedule-tenant")));
            }
            Matcher quota = OF_TENANT.matcher(name);
            if (quota.matches()) {
                return quota.group(1).replace("\"", "").equals(tenant);
            }
            Matcher entry = OF_ENTRY.matcher(name);
            return entry.matches() && tenant.equals(byName.get(entry.group(1) + ".tenant"));
        }

        private static String plain(String name) {
            return name.startsWith(ROOT) ? name.substring(ROOT.length()) : name;
        }
    }
}
