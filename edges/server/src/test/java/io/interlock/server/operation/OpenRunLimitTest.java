package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.access.Role;
import io.interlock.config.Limits;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A tenant that has as many open runs as it may. */
class OpenRunLimitTest {

    private static final int LIMIT = 3;

    private final EngineRig rig = new EngineRig((RunStore) Stores.open("memory:"), limits());

    @AfterEach
    void close() {
        rig.closeAll();
    }

    @Test
    void furtherRunsAreRefusedAndTheSettingIsNamed() {
        int started = 0;
        Answer answer = start(started);
        while (answer.status() == 201 && started < 2 * LIMIT) {
            started++;
            answer = start(started);
        }
        assertThat(started).as("about as many as may be").isBetween(LIMIT - 1, LIMIT + 1);
        Answer refused = answer.is(429);
        assertThat(refused.text("code")).isEqualTo("tenant-limit");
        assertThat(refused.text("setting")).isEqualTo("limits.open-runs");
        assertThat(refused.number("limit")).isEqualTo(LIMIT);
        assertThat(refused.text("detail")).contains("limits.open-runs");
    }

    private Answer start(int key) {
        return rig.post("/runs", Role.WORKER, "{\"key\": \"limit/" + key + "\", \"execution\": \"caller\"}");
    }

    private static Limits limits() {
        Limits usual = Limits.DEFAULT;
        return new Limits(
                usual.body(),
                usual.depth(),
                usual.requestsPerSecond(),
                usual.arrival(),
                usual.idle(),
                usual.streams(),
                new Limits.Tenant(LIMIT, 1_024, 1_000, 5_000, 1_000),
                usual.connections());
    }
}
