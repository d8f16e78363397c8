package io.interlock.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.config.SqsSettings;
import io.interlock.engine.EngineClosedException;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.access.TenantLimitException;
import io.interlock.sqs.MessageDelivery.Kind;
import io.interlock.sqs.Queue.Message;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What becomes of a message whose run cannot be submitted: what passes must not make it a dead letter. */
class MessageDeliveryTest {

    @Test
    void whatPassesIsWaitedFor() {
        assertThat(outcome(new TenantLimitException("acme", "open runs", "limits.open-runs", 10, "wait")))
                .isEqualTo(Kind.NOT_NOW);
        assertThat(outcome(new StoreUnavailableException("store", "does not answer")))
                .isEqualTo(Kind.STORE_AWAY);
        assertThat(outcome(new UnsafeStoreException("store", "is a replica", "connect to the primary")))
                .isEqualTo(Kind.STORE_AWAY);
        assertThat(outcome(new EngineClosedException())).isEqualTo(Kind.STORE_AWAY);
        assertThat(outcome(new InvalidSettingException("job", "a", "is unknown", "name another")))
                .isEqualTo(Kind.REFUSED);
    }

    private static Kind outcome(InterlockException failure) {
        RunEngine engine = (RunEngine) Proxy.newProxyInstance(
                RunEngine.class.getClassLoader(), new Class<?>[] {RunEngine.class}, (proxy, method, arguments) -> {
                    throw failure;
                });
        Duration any = Duration.ofSeconds(1);
        URI endpoint = URI.create("http://127.0.0.1:1");
        try (Queue queue = Queue.of(new SqsSettings(
                endpoint.resolve("/0/jobs.fifo"),
                "acme",
                new SqsSettings.Place(null, endpoint),
                1,
                new SqsSettings.Times(any, any, any, any),
                SqsSettings.Messages.OWN))) {
            Message message = new Message("id", "group", "", 1, Instant.EPOCH, "{}", "receipt");
            return new MessageDelivery(engine, queue)
                    .of(message, RunRequest.of(LockKey.of("acme", "k"), "note"))
                    .kind();
        }
    }
}
