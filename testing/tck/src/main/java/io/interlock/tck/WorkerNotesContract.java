package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.run.JobName;
import io.interlock.run.Retention;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunViews;
import io.interlock.spi.run.Upkeep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Active workers, and the store's time of their reports. */
interface WorkerNotesContract extends RunContract {

    private RunNotes notes() {
        return client().store().notes();
    }

    private List<WorkerNote> workers(String tenant) {
        return notes().workers(tenant, Duration.ofSeconds(30), 1000);
    }

    private static WorkerNote worker(String instance, int busy, Instant seenAt) {
        Holder holder = new Holder(instance, "worker on " + instance);
        return new WorkerNote(
                holder,
                instance.startsWith("host-1") ? "acme" : null,
                Set.of(RunClient.JOB, new JobName("other")),
                4,
                busy,
                "1.0",
                seenAt);
    }

    @Test
    default void workersAreThereAsLongAsTheySaySo() {
        notes().noteWorker(worker("host-1/1", 0, Instant.EPOCH));
        notes().noteWorker(worker("host-2/1", 1, Instant.parse("2999-01-01T00:00:00Z")));
        List<WorkerNote> both = workers("acme");
        assertThat(both)
                .extracting(note -> note.worker().instance())
                .as("by the clock of the store")
                .containsExactlyInAnyOrder("host-1/1", "host-2/1");
        assertThat(both).allSatisfy(note -> {
            assertThat(note.jobs()).containsExactlyInAnyOrder(RunClient.JOB, new JobName("other"));
            assertThat(note.slots()).isEqualTo(4);
            assertThat(note.version()).isEqualTo("1.0");
        });
        assertThat(workers("globex"))
                .extracting(note -> note.worker().instance())
                .as("for any tenant")
                .containsExactly("host-2/1");
        advance(Duration.ofSeconds(20));
        notes().noteWorker(worker("host-1/1", 3, Instant.EPOCH));
        assertThat(workers("acme")).hasSize(2);
        advance(Duration.ofSeconds(20));
        assertThat(workers("acme")).singleElement().satisfies(note -> {
            assertThat(note.worker()).isEqualTo(new Holder("host-1/1", "worker on host-1/1"));
            assertThat(note.busy()).isEqualTo(3);
        });
        advance(Duration.ofSeconds(20));
        assertThat(workers("acme")).isEmpty();
    }

    private static WorkerNote remote(String tenant, String instance) {
        return new WorkerNote(
                new Holder(instance, instance), tenant, Set.of(RunClient.JOB), 1, 0, WorkerNote.REMOTE, Instant.EPOCH);
    }

    @Test
    default void theNamesOfOneTenantsWorkersAreNoBurdenToOthers() {
        notes().noteWorker(worker("host-2/1", 0, Instant.EPOCH));
        notes().noteWorker(remote("globex", "globex/1"));
        for (int name = 0; name < 3; name++) {
            notes().noteWorker(remote("acme", "first/" + name));
        }
        advance(Duration.ofSeconds(1));
        for (int name = 0; name < WorkerNote.MOST_REMOTE - 1; name++) {
            notes().noteWorker(remote("acme", "next/" + name));
        }
        advance(Duration.ofSeconds(1));
        notes().noteWorker(remote("acme", "last"));
        assertThat(workers("globex"))
                .extracting(note -> note.worker().instance())
                .containsExactlyInAnyOrder("host-2/1", "globex/1");
        assertThat(workers("acme"))
                .as("engines, and the most recent remote workers")
                .hasSize(WorkerNote.MOST_REMOTE + 1)
                .extracting(note -> note.worker().instance())
                .contains("host-2/1", "last", "next/0")
                .doesNotContain("first/0", "first/1", "first/2");
        assertThat(notes().workers("acme", Duration.ofSeconds(30), 2))
                .as("the most recent first")
                .hasSize(2)
                .first()
                .satisfies(note -> assertThat(note.worker().instance()).isEqualTo("last"));
    }

    @Test
    default void aRemoteWorkerIsForgottenSoonerThanHistory() {
        Upkeep history = client().store().upkeep();
        notes().noteWorker(worker("host-1/1", 0, Instant.EPOCH));
        notes().noteWorker(remote("acme", "gone"));
        advance(Duration.ofMinutes(30));
        notes().noteWorker(remote("acme", "there"));
        history.forget(Retention.DEFAULT, 10);
        assertThat(notes().workers("acme", Duration.ofHours(2), 10)).hasSize(3);
        advance(Duration.ofMinutes(31));
        history.forget(Retention.DEFAULT, 10);
        assertThat(notes().workers("acme", Duration.ofHours(2), 10))
                .extracting(note -> note.worker().instance())
                .containsExactly("there", "host-1/1");
    }

    @Test
    default void theStoreSaysWhatTimeItIs() {
        RunViews views = client().store().views();
        notes().noteWorker(remote("acme", "clock"));
        Instant seen = workers("acme").get(0).seenAt();
        Instant time = views.storeTime();
        assertThat(time).isBetween(seen, seen.plus(Duration.ofMinutes(30)));
        advance(Duration.ofHours(1));
        Instant seenAnHourAgo =
                notes().workers("acme", Duration.ofHours(2), 1).get(0).seenAt();
        assertThat(views.storeTime()).isAfterOrEqualTo(seenAnHourAgo.plus(Duration.ofHours(1)));
    }
}
