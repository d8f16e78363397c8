package io.interlock.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.micrometer.core.instrument.Counter;
import org.junit.jupiter.api.Test;

/** Requests are counted where they are answered. */
class MetersTest {

    @Test
    void serversOfOneProcessCountTheirOwnRequests() {
        EngineRig one = EngineRig.on("memory:");
        EngineRig other = EngineRig.on("memory:");
        try {
            for (int i = 0; i < 3; i++) {
                other.get("/jobs", Role.READ).is(200);
            }
            await().untilAsserted(() -> assertThat(requests(other)).isEqualTo(3));
            assertThat(requests(one)).isZero();
        } finally {
            one.closeAll();
            other.closeAll();
        }
    }

    private static double requests(EngineRig rig) {
        return rig.meters.find("vertx.http.server.requests").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }
}
