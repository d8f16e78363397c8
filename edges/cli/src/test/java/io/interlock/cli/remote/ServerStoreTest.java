package io.interlock.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.ThisProcess;
import io.interlock.cli.backend.ServerClient;
import io.interlock.engine.Jobs;
import io.interlock.run.Retention;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.OutputNote;
import io.interlock.spi.run.RunHistory;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an engine that only does work asks of its store, without any question to the server. */
class ServerStoreTest {

    private static final String URL = "http://localhost:1";

    @Test
    void everythingThatIsAnsweredByNameHasThatNameInTheContractOfStores() {
        Environment environment = Environment.system();
        ServerClient client = new ServerClient(URL, Map.of());
        try (WorkPoll poll = new WorkPoll(client, environment)) {
            ClaimedRuns runs = new ClaimedRuns(Jobs.of(), ThisProcess.holder(environment.random()));
            RunStore store = ServerStore.of(URL, new ServerWork(client, runs, poll, environment.ticker()), poll);
            assertThat(store.capabilities().store()).isEqualTo(URL);
            assertThat(store.changes()).isSameAs(ChangeFeed.SILENT);
            assertThat(store.sweep(1)).isEmpty();
            assertThat(store.sweepRuns(1)).isEmpty();
            assertThat(store.forget(Retention.DEFAULT, 1)).isEqualTo(new RunHistory.Forgotten(0, 0));
            store.keepOutput(note(environment));
            store.watchWork(null, () -> {}).close();
            store.close();
            assertThat(store).hasToString(URL);
            assertThatThrownBy(() -> store.find(List.of()))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage("find is not for workers of a server");
        }
    }

    private static OutputNote note(Environment environment) {
        return new OutputNote(
                RunId.parse("01a1e0eb-5f19-78bb-b9b3-e93f67580689"),
                LockKey.of("default", "ledger"),
                LeaseId.random(environment.random()),
                new FencingToken(1),
                "said");
    }
}
