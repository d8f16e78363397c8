package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.cli.Cli.Ended;
import io.interlock.cli.Cli.Running;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

/** On a store that keeps leases only: commands run under a key, and there are no runs. */
class RedisTest {

    @TempDir
    Path folder;

    @Test
    void aCommandRunsUnderALeaseAndThereAreNoRuns() throws IOException {
        int port = freePort();
        RedisServer redis = RedisServer.builder()
                .port(port)
                .setting("appendonly yes")
                .setting("appendfsync always")
                .setting("dir " + folder)
                .build();
        redis.start();
        try {
            // A new Redis grants nothing for as long as the longest lease, unless its user confirms the first use.
            String store = "redis://localhost:" + port + "?firstUse=true";
            Cli cli = new Cli(folder);
            Running holder = cli.startWith(
                    "INTERLOCK_STORE",
                    store,
                    "run",
                    "-w",
                    "30s",
                    "--lease",
                    "3s",
                    "k",
                    "--",
                    "sh",
                    "-c",
                    "echo $INTERLOCK_TOKEN; read line; exit 3");
            await().until(() -> holder.out().endsWith("\n") || !holder.process().isAlive());
            assertThat(holder.out()).as(holder.err()).matches("\\d+\n");
            Ended busy = cli.startWith("INTERLOCK_STORE", store, "run", "-n", "--lease", "3s", "k", "--", "true")
                    .await();
            assertThat(busy.code()).isEqualTo(75);
            assertThat(busy.err()).contains("k is held", "holder   ", "alive");
            Typed typed = new Typed("INTERLOCK_STORE", store);
            assertThat(typed.type("locks", "ls").out()).contains("k    HELD");
            for (String noun : new String[] {"runs", "queue", "dead"}) {
                Typed.Answer none = typed.type(noun, "ls");
                assertThat(none.code()).isEqualTo(78);
                assertThat(none.err()).contains("keeps leases only", "sqlite:PATH");
            }
            Typed.Answer stranger =
                    new Typed("INTERLOCK_STORE", store.replace("//", "//stranger:secret@")).type("locks", "ls");
            assertThat(stranger.code()).isEqualTo(77);
            assertThat(stranger.err())
                    .contains("wrong user or password [forbidden]", "correct them in the store's URL")
                    .doesNotContain("secret");
            holder.closeInput();
            assertThat(holder.await().code()).isEqualTo(3);
            assertThat(typed.type("locks", "show", "k").out()).contains("is free");
        } finally {
            redis.stop();
        }
    }

    @Test
    void thatThereAreNoRunsIsKnownWithoutAsking() throws IOException {
        Typed nowhere = new Typed("INTERLOCK_STORE", "redis://localhost:" + freePort());
        for (String noun : new String[] {"runs", "queue", "dead"}) {
            Typed.Answer none = nowhere.type(noun, "ls");
            assertThat(none.code()).as(none.err()).isEqualTo(78);
            assertThat(none.err()).contains("keeps leases only");
        }
        assertThat(nowhere.type("locks", "ls").code()).isEqualTo(69);
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
