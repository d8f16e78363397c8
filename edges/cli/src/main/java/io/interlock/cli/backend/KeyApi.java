package io.interlock.cli.backend;

import io.interlock.cli.text.Facts;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** API keys. */
public interface KeyApi {

    /** Makes one: {@code id, tenant, role, label, createdAt, expiresAt?, active, apiKey}; the last is shown nowhere else. */
    Facts create(String role, String label, @Nullable Duration lifetime);

    /** All of the tenant, without their secrets. */
    List<Facts> list();

    /** Takes one back. */
    void revoke(String id, String reason);
}
