package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.run.AuditChain;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.AuditLog.Sealed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/** Helper methods of the contract about the audit log. */
interface AuditWords extends RunContract {

    default AuditLog log() {
        return client().store().audit();
    }

    /** Records to seal, as soon as {@code count} of them are durable. */
    default List<AuditRecord> unsealed(int count) {
        return Awaitility.await(count + " records to seal")
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> log().unsealed(1000), records -> records.size() >= count);
    }

    /** The links of {@code records} after {@code head}. */
    default List<Seal> links(Seal head, List<AuditRecord> records) {
        List<Seal> links = new ArrayList<>();
        Seal last = head;
        for (AuditRecord record : records) {
            last = AuditChain.next(last, record);
            links.add(last);
        }
        return links;
    }

    /** Seals {@code count} records or more. */
    default Seal sealAll(int count) {
        Seal head = log().head();
        List<Seal> links = links(head, unsealed(count));
        assertThat(log().seal(head, links)).isTrue();
        return links.get(links.size() - 1);
    }

    /** Checks that the stored chain after {@code before} matches its records. */
    default List<Sealed> wholeChain(Seal before) {
        List<Sealed> chain = log().sealed(before.position(), 1000);
        Seal last = before;
        for (Sealed link : chain) {
            AuditRecord record = link.record();
            assertThat(record).as("record of %s", link.seal()).isNotNull();
            if (record != null) {
                last = AuditChain.next(last, record);
            }
            assertThat(link.seal()).as("seal of %s", record).isEqualTo(last);
        }
        assertThat(log().head()).isEqualTo(last);
        return chain;
    }
}
