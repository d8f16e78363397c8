package io.interlock.config;

import io.interlock.InvalidSettingException;
import io.interlock.engine.access.ApiKey;
import io.interlock.engine.access.KeyOrder;

/**
 * An API key that a process is given, where its store keeps none.
 *
 * @param order for whom it acts, and what it may do
 * @param secret the key itself
 */
public record KeySettings(KeyOrder order, Secret secret) {

    /**
     * The key.
     *
     * @throws InvalidSettingException if its file cannot be read or holds none
     */
    public ApiKey key() {
        return ApiKey.parse(secret.reveal())
                .orElseThrow(() -> new InvalidSettingException(
                        "secret-file",
                        String.valueOf(secret.file()),
                        "holds no API key",
                        "write one into it, as 'interlock keys create' prints it"));
    }
}
