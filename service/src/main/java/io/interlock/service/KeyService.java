package io.interlock.service;

import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.engine.access.KeyRing;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** The operations about API keys of a tenant. None blocks. Safe for use by many threads. */
public final class KeyService {

    private static final String KEYS = "keys";

    private final KeyRing ring;
    private final InstantSource clock;
    private final int most;

    /**
     * Those of {@code ring}.
     *
     * @param most how many keys of a tenant count at a time
     */
    public KeyService(KeyRing ring, InstantSource clock, int most) {
        this.ring = ring;
        this.clock = clock;
        this.most = most;
    }

    /** {@code listKeys}: without their secrets. */
    public CompletionStage<Facts> list(Request request) {
        String after = request.cursor(KEYS, id -> id).orElse("");
        int limit = request.limit();
        return ring.list(request.tenant()).thenApply(all -> {
            // Keys are never forgotten, so the last one of the page before is still there.
            int from = after.isEmpty() ? 0 : place(all, after) + 1;
            int to = Math.min(all.size(), from + limit);
            return Facts.with(
                            "items",
                            all.subList(from, to).stream().map(this::json).toList())
                    .and(
                            "cursor",
                            to == all.size()
                                    ? null
                                    : Request.cursorOf(KEYS, all.get(to - 1).id()));
        });
    }

    private static int place(List<AccessKey> all, String id) {
        return IntStream.range(0, all.size())
                .filter(i -> all.get(i).id().equals(id))
                .findFirst()
                .orElse(all.size() - 1);
    }

    /** {@code createKey}: {@code id, tenant, role, label, createdAt, expiresAt?, active, apiKey}; the last is shown nowhere else. */
    public CompletionStage<Facts> create(Request request) {
        String role = request.body().shown("role");
        KeyRing.KeyOrder order = new KeyRing.KeyOrder(
                request.tenant(),
                Role.valueOf(role.toUpperCase(Locale.ROOT)),
                request.body().text("label").orElse(role),
                request.duration("expiresIn").orElse(null));
        return ring.issue(order, request.actor(), most)
                .thenApply(issued ->
                        json(issued.kept()).and("apiKey", issued.secret().text()));
    }

    /** {@code revokeKey}. */
    public CompletionStage<Facts> revoke(Request request) {
        String id = request.required("id");
        String reason = request.asked("reason").orElse("no reason given");
        return ring.revoke(request.tenant(), id, request.actor(), reason)
                .thenApply(revoked -> revoked.map(this::json).orElseThrow(() -> Problem.notFound("API key", id)));
    }

    private Facts json(AccessKey key) {
        return AdminFacts.apiKey(key, clock.instant());
    }
}
