package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.AuditChain;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import io.interlock.run.JobName;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records that were deleted before they were sealed. */
class SealingTest {

    @TempDir
    Path folder;

    private SqliteHarness harness;
    private TestDatabase database;
    private SqlStore store;

    @BeforeEach
    void open() {
        harness = new SqliteHarness(folder.resolve("sealing.db"));
        database = new TestDatabase(folder.resolve("sealing.db"));
        store = harness.open(Environment.system());
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
        harness.close();
    }

    @Test
    void theyHaveLinksAndKeepNoneFromBeingSealed() {
        submit("first");
        seal();
        List<Long> lost = submit("lost");
        List<Long> between = submit("between");
        lost.addAll(submit("lost-too"));
        List<Long> last = submit("last");
        delete("lost", "lost-too");
        assertThat(numbers(store.audit().unsealed(10)))
                .as("up to what is missing")
                .isEqualTo(between);
        seal();
        assertThat(numbers(store.audit().unsealed(10))).isEqualTo(last);
        seal();
        assertThat(store.audit().unsealed(10)).isEmpty();
        assertThat(deleted()).isEqualTo(lost);
        assertThat(store.audit().sealed(0, 100))
                .extracting(link -> link.seal().position())
                .as("without a gap")
                .isEqualTo(numbered(store.audit().sealed(0, 100).size()));
    }

    @Test
    void theLastOnesAreMissedToo() {
        submit("first");
        seal();
        List<Long> lost = submit("lost");
        delete("lost");
        assertThat(store.audit().unsealed(10)).isEmpty();
        assertThat(deleted()).isEqualTo(lost);
        List<Long> next = submit("next");
        assertThat(numbers(store.audit().unsealed(10))).isEqualTo(next);
    }

    @Test
    void manyAreLinkedAFewAtATime() {
        List<Long> lost = submit("lost-1");
        lost.addAll(submit("lost-2"));
        List<Long> last = submit("last");
        database.execute("DELETE FROM interlock_audit WHERE name LIKE 'lost-%'");
        int most = lost.size() - 1;
        assertThat(store.audit().unsealed(most)).as("while one has no link yet").isEmpty();
        assertThat(deleted()).isEqualTo(lost.subList(0, most));
        assertThat(numbers(store.audit().unsealed(most))).isEqualTo(last);
        assertThat(deleted()).isEqualTo(lost);
    }

    /** The numbers of the records it makes. */
    private List<Long> submit(String name) {
        LockKey key = LockKey.of("acme", name);
        RunSpec spec = RunSpec.of(new JobName("load"), "alice");
        RunId run =
                RunId.create(Environment.system().clock(), Environment.system().random());
        store.runs().submit(List.of(SubmitRequest.of(run, key, spec))).only();
        return new ArrayList<>(numbers(store.audit().records(key)));
    }

    private void delete(String... names) {
        database.execute("DELETE FROM interlock_audit WHERE name IN ('" + String.join("', '", names) + "')");
    }

    private void seal() {
        List<AuditRecord> records = store.audit().unsealed(100);
        Seal head = store.audit().head();
        List<Seal> links = new ArrayList<>();
        for (AuditRecord record : records) {
            links.add(AuditChain.next(links.isEmpty() ? head : links.get(links.size() - 1), record));
        }
        assertThat(store.audit().seal(head, links)).isTrue();
    }

    private List<Long> deleted() {
        return store.audit().sealed(0, 100).stream()
                .filter(link -> link.record() == null)
                .map(AuditLog.Sealed::seal)
                .map(Seal::sequence)
                .toList();
    }

    private static List<Long> numbers(List<AuditRecord> records) {
        return records.stream().map(AuditRecord::sequence).toList();
    }

    private static List<Long> numbered(int count) {
        List<Long> numbers = new ArrayList<>();
        for (long i = 1; i <= count; i++) {
            numbers.add(i);
        }
        return numbers;
    }
}
