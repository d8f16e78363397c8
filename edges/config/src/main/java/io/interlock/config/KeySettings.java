package io.interlock.config;

import io.interlock.InvalidSettingException;
import io.interlock.engine.access.ApiKey;
import io.interlock.engine.access.KeyOrder;

/**
 * An API key in the configuration, for stores that keep none.
 *
 * @param secret the key itself
 */
public record KeySettings(KeyOrder order, Secret secret) {

    /**
     * Reads the key.
     *
     * @throws InvalidSettingException if its file cannot be read or contains no key
     */
    public ApiKey key() {
        return ApiKey.parse(secret.reveal())
                .orElseThrow(() -> new InvalidSettingException(
                        "secret-file",
                        String.valueOf(secret.file()),
                        "holds no API key",
                        "write a key into it, as printed by 'interlock keys create'"));
    }
}
