package io.interlock.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.interlock.engine.access.ApiKey;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** API keys in the configuration. */
class GivenKeysTest {

    private static final String KEY = ApiKey.draw(new Random(1)).text();

    @TempDir
    Path folder;

    @Test
    void oneKeyHasOneRoleAndOneTenant() {
        assertThat(mistakes("acme", "admin"))
                .hasMessageContaining("keys[1].secret-file")
                .hasMessageContaining("contains the same key as keys[0], which has tenant acme and role worker")
                .hasMessageNotContaining(KEY);
        assertThat(mistakes("globex", "worker")).hasMessageContaining("keys[1].secret-file");
    }

    @Test
    void theSameKeyTwiceIsTheSameKey() {
        assertThatCode(() -> given("acme", "worker").requireFor(false)).doesNotThrowAnyException();
    }

    private ConfigurationException mistakes(String tenant, String role) {
        ConfigurationException refused = catchThrowableOfType(
                ConfigurationException.class, () -> given(tenant, role).requireFor(false));
        assertThat(refused).as("mistakes").isNotNull();
        return refused;
    }

    private Configuration given(String tenant, String role) {
        Written written = new Written(folder);
        Path first = written.file("first.key", KEY);
        Path second = written.file("second.key", KEY + "\n");
        return written.read("""
                interlock:
                  keys:
                    - { secret-file: "%s", tenant: acme, role: worker }
                    - { secret-file: "%s", tenant: %s, role: %s }
                """.formatted(first, second, tenant, role));
    }
}
