package io.interlock.cli.backend;

import io.interlock.client.Requests;
import io.interlock.service.Facts;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** API keys of a tenant. */
public final class KeyApi {

    private final Requests requests;

    KeyApi(Requests requests) {
        this.requests = requests;
    }

    /** Makes a key: {@code id, tenant, role, label, createdAt, expiresAt?, active, apiKey}; the last is shown nowhere else. */
    public Facts create(String role, String label, @Nullable Duration lifetime) {
        return requests.post(
                "/keys", Facts.with("role", role).and("label", label).and("expiresIn", lifetime));
    }

    /** All of the tenant, without their secrets. */
    public List<Facts> list() {
        return requests.items(Integer.MAX_VALUE, "/keys");
    }

    public void revoke(String id, String reason) {
        requests.delete("/keys", "id", id, "reason", reason);
    }
}
