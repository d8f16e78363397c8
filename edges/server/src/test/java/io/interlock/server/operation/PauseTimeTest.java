package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pauses until a time, where the clock of the store is an hour ahead of the node's. */
class PauseTimeTest {

    private static final Duration AHEAD = Duration.ofHours(1);

    private final EngineRig rig = EngineRig.on(new MemoryStore(ahead(Environment.system())));

    @AfterEach
    void close() {
        rig.closeAll();
    }

    @Test
    void theClockOfTheStoreSaysWhenAPauseIsOver() {
        Instant end = Instant.now().plus(AHEAD).plusSeconds(600);
        Answer paused = pause(end).is(200);
        assertThat(Instant.parse(paused.text("until"))).isCloseTo(end, within(1, ChronoUnit.MINUTES));
        pause(Instant.now().plusSeconds(600)).isProblem(400, "invalid-request");
    }

    private Answer pause(Instant until) {
        return rig.post(
                "/locks/pause",
                Role.OPERATOR,
                "{\"key\": \"ledger/1\", \"reason\": \"maintenance\", \"until\": \"" + until + "\"}");
    }

    private static Environment ahead(Environment real) {
        InstantSource clock = () -> real.clock().instant().plus(AHEAD);
        return (Environment) Proxy.newProxyInstance(
                PauseTimeTest.class.getClassLoader(),
                new Class<?>[] {Environment.class},
                (self, method, arguments) -> method.getName().equals("clock") ? clock : method.invoke(real, arguments));
    }
}
