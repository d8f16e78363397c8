package io.interlock.config;

import io.interlock.LockKey;
import io.interlock.access.Role;
import io.interlock.engine.access.KeyOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the API keys in the configuration. */
final class KeyReader {

    private final Reading reading;

    KeyReader(Reading reading) {
        this.reading = reading;
    }

    List<KeySettings> read() {
        List<KeySettings> all = new ArrayList<>();
        for (int i = 0; i < reading.sources().size("keys"); i++) {
            String at = "keys[" + i + "].";
            String tenant = reading.requiredText(at + "tenant");
            reading.made(at + "tenant", () -> LockKey.of(tenant, "any").tenant(), tenant);
            Optional<Role> role = reading.choice(at + "role", Role.class);
            String file = reading.text(at + "secret-file");
            String label = reading.requiredText(at + "label");
            if (role.isEmpty() && !reading.isSet(at + "role")) {
                reading.mistake(at + "role", "is missing; set the role of the key");
            }
            if (file == null) {
                reading.mistake(at + "secret-file", "is missing; name a file with the key");
            } else if (role.isPresent()) {
                all.add(new KeySettings(
                        new KeyOrder(tenant, role.get(), label, null), new Secret(null, Path.of(file))));
            }
        }
        return all;
    }
}
