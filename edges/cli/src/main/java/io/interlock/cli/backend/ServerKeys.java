package io.interlock.cli.backend;

import io.interlock.cli.text.Facts;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** API keys, by a server. */
final class ServerKeys implements KeyApi {

    private final ServerClient client;

    ServerKeys(ServerClient client) {
        this.client = client;
    }

    @Override
    public Facts create(String role, String label, @Nullable Duration lifetime) {
        return client.post(
                "/keys",
                Facts.with("role", role.toLowerCase(Locale.ROOT))
                        .and("label", label)
                        .and("expiresIn", lifetime)
                        .done());
    }

    @Override
    public List<Facts> list() {
        return client.items(Integer.MAX_VALUE, "/keys");
    }

    @Override
    public void revoke(String id, String reason) {
        client.delete("/keys", "id", id, "reason", reason);
    }
}
