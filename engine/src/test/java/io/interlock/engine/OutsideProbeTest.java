package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.engine.command.CommandSpec;
import io.interlock.engine.command.FakeContext;
import io.interlock.engine.handler.CommandHandler;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutsideProbeTest {

    @Test
    void questionsThatAreOverLeaveNothingBehind() throws Exception {
        FakeContext context = new FakeContext("{}");
        RunHandler busy = new CommandHandler(CommandSpec.of(List.of("false")), Environment.system());
        AtomicInteger asked = new AtomicInteger();
        RunHandler question = run -> asked.incrementAndGet() < 5 ? busy.run(run) : null;
        OutsideProbe probe = new OutsideProbe(question, run -> "\"done\"", Duration.ofMillis(1));
        assertThat(probe.run(context)).isEqualTo("\"done\"");
        assertThat(asked).hasValue(5);
        assertThat(context.stopTasks()).as("that of the probe itself").isEqualTo(1);
    }
}
