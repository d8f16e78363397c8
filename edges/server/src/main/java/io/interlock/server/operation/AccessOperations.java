package io.interlock.server.operation;

import io.interlock.config.Configuration;
import io.interlock.config.EffectiveProperty;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.api.Call;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Operations.Operation;
import io.interlock.server.api.Reply;
import io.interlock.service.Facts;
import io.interlock.service.KeyService;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** API keys and configuration over HTTP: for admins, of their own tenant only; the bootstrap key sees the whole configuration. */
public final class AccessOperations {

    private final Configuration configuration;

    private AccessOperations(Configuration configuration) {
        this.configuration = configuration;
    }

    /** Adds them; only those that change nothing, if the store keeps no keys. */
    public static void addTo(
            Operations operations, KeyRing ring, Configuration configuration, InstantSource clock, boolean keepsKeys) {
        int most = configuration.settings().limits().tenant().apiKeys();
        KeyService keys = new KeyService(ring, clock, most);
        operations
                .on("listKeys", call -> keys.list(call.request()).thenApply(Reply::ok))
                .on("getConfig", new AccessOperations(configuration)::configuration);
        if (keepsKeys) {
            Operation revoke = call -> keys.revoke(call.request()).thenApply(revoked -> Reply.nothing());
            operations
                    .on(
                            "createKey",
                            call -> keys.create(call.request())
                                    .thenApply(key -> Reply.created(key, "/api/v1/keys/" + key.shown("id"))))
                    .on("revokeKey", revoke)
                    .on("revokeKeyByQuery", revoke);
        }
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
                        && !property.startsWith("probe.")
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
