package io.interlock.engine.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.interlock.engine.RunHandler.WorkGoesOnException;
import io.interlock.engine.command.FakeContext;
import io.interlock.engine.handler.HttpHandler;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.ForwardingEnvironment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests of which the engine does not know whether they are worked on: a run with a callback keeps its lease. */
@Timeout(60)
class HttpUnclearTest {

    private static final HttpRules LOOPBACK =
            HttpRules.hosts(List.of("127.0.0.1")).networks(List.of("127.0.0.1/32"));

    private final FakeContext context = new FakeContext("{}");

    @Test
    void anAnswerThatCannotBeTakenInLeavesItUnclear() throws Exception {
        try (OtherSide other = OtherSide.answering(200, "")) {
            assertThat(askedBy(new Failing(new OutOfMemoryError("no room")), other))
                    .isInstanceOf(WorkGoesOnException.class)
                    .hasMessageContaining("no room");
            assertThat(askedBy(new Failing(new IllegalStateException("broken")), other))
                    .isInstanceOf(WorkGoesOnException.class)
                    .hasMessageContaining("broken");
            assertThat(other.asked).hasSize(2);
        }
    }

    @Test
    void whatFailsBeforeItIsSentIsNotUnclear() throws Exception {
        IllegalStateException broken = new IllegalStateException("broken");
        Environment real = Environment.system();
        PinnedHttp.Resolver failing = host -> {
            throw broken;
        };
        try (OtherSide other = OtherSide.answering(200, "");
                PinnedHttp http = new PinnedHttp(LOOPBACK, real, failing, null)) {
            assertThatThrownBy(() -> new HttpHandler(spec(other), http, real).run(context))
                    .isSameAs(broken);
            assertThat(other.asked).isEmpty();
        }
    }

    @Test
    void unavailableWithoutAWordOfWhenToComeBackIsUnclear() throws Exception {
        try (OtherSide other = OtherSide.answering(503, "upstream connect error or disconnect/reset before headers")) {
            assertThat(askedBy(Environment.system(), other))
                    .isInstanceOf(WorkGoesOnException.class)
                    .hasMessageContaining("answered 503");
        }
    }

    private Throwable askedBy(Environment environment, OtherSide other) {
        try (PinnedHttp http = new PinnedHttp(LOOPBACK, environment)) {
            return catchThrowable(() -> new HttpHandler(spec(other), http, environment).run(context));
        }
    }

    private static HttpSpec spec(OtherSide other) {
        return HttpSpec.of(other.url("/")).callback("https://interlock.example/{runId}");
    }

    /** Where something fails once the answer is there. */
    private static final class Failing extends ForwardingEnvironment {

        private final Throwable failure;

        Failing(Throwable failure) {
            super(Environment.system());
            this.failure = failure;
        }

        @Override
        public Timers timers(String name) {
            Timers real = super.timers(name);
            return new Timers() {
                @Override
                public Scheduled after(Duration delay, Runnable task) {
                    Scheduled scheduled = real.after(delay, task);
                    return () -> {
                        scheduled.cancel();
                        if (failure instanceof Error error) {
                            throw error;
                        }
                        throw (RuntimeException) failure;
                    };
                }

                @Override
                public void close() {
                    real.close();
                }
            };
        }
    }
}
