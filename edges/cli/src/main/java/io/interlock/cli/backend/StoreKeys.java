package io.interlock.cli.backend;

import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import io.interlock.engine.access.IssuedKey;
import io.interlock.engine.access.KeyOrder;
import io.interlock.engine.access.KeyRing;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The API keys of one tenant on a store. */
final class StoreKeys implements KeyApi {

    private final KeyRing ring;
    private final String tenant;
    private final String actor;
    private final Environment environment;

    StoreKeys(KeyRing ring, String tenant, String actor, Environment environment) {
        this.ring = ring;
        this.tenant = tenant;
        this.actor = actor;
        this.environment = environment;
    }

    @Override
    public Facts create(String role, String label, @Nullable Duration lifetime) {
        IssuedKey issued = joined(ring.issue(new KeyOrder(tenant, role(role), label, lifetime), actor));
        return facts(issued.kept()).and("apiKey", issued.secret().text());
    }

    @Override
    public List<Facts> list() {
        return joined(ring.list(tenant)).stream().map(this::facts).toList();
    }

    @Override
    public void revoke(String id, String reason) {
        if (joined(ring.revoke(tenant, id, actor, reason)).isEmpty()) {
            throw Failure.unknown(
                    "tenant " + tenant + " has no API key called '" + id + "'",
                    "interlock keys ls shows those there are");
        }
    }

    private Facts facts(AccessKey key) {
        return Facts.with("id", key.id())
                .and("tenant", key.tenant())
                .and("role", key.role().name().toLowerCase(Locale.ROOT))
                .and("label", key.label())
                .and("createdAt", key.createdAt())
                .and("expiresAt", key.expiresAt())
                .and("revokedAt", key.revokedAt())
                .and("active", key.isActive(environment.clock().instant()))
                .done();
    }

    private static Role role(String name) {
        try {
            return Role.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException none) {
            throw Failure.usage("'" + name + "' is no role", "choose one of read, trigger, worker, operator, admin");
        }
    }

    private static <T> T joined(CompletionStage<T> answer) {
        try {
            return answer.toCompletableFuture().join();
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw failure;
        }
    }
}
