package io.interlock.engine.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.run.AuditChain;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuditVerifierTest {

    private final TamperedLog log = new TamperedLog();

    @Test
    void nothingIsWrongWithWhatNobodyTouched() {
        assertThat(verify().isClean()).as("an empty log").isTrue();
        log.runs(600).sealed().sealed();
        AuditReport report = verify();
        assertThat(report.isClean()).as(report.sentence()).isTrue();
        assertThat(report.records()).isEqualTo(1200);
        assertThat(report.to()).isEqualTo(log.head);
    }

    @Test
    void anEditedRecordIsFound() {
        log.runs(10).sealed();
        log.edit(7, record -> TamperedLog.blaming(record, "mallory"));
        assertThat(findings()).containsExactly(AuditFinding.edited(7, 7));
    }

    @Test
    void theLastRecordEditedIsFound() {
        log.runs(10).sealed();
        log.edit(20, record -> TamperedLog.blaming(record, "mallory"));
        assertThat(findings()).containsExactly(AuditFinding.edited(20, 20));
    }

    @Test
    void anEditedRecordWithAFreshLinkIsFoundByTheNextLink() {
        log.runs(10).sealed();
        log.edit(7, record -> TamperedLog.blaming(record, "mallory"));
        log.links.put(7L, AuditChain.next(link(6), record(7)));
        assertThat(findings()).containsExactly(AuditFinding.edited(8, 8));
    }

    @Test
    void aDeletedRecordIsFound() {
        log.runs(10).sealed();
        log.records.remove(7L);
        assertThat(findings()).contains(AuditFinding.deleted(7, 7));
    }

    @Test
    void recordsThatChangedPlacesAreFound() {
        log.runs(10).sealed();
        AuditRecord third = record(3);
        AuditRecord ninth = record(9);
        log.records.put(3L, ninth.at(3));
        log.records.put(9L, third.at(9));
        assertThat(findings()).contains(AuditFinding.moved(3, 3, 9), AuditFinding.moved(9, 9, 3));
    }

    @Test
    void aRenumberedRecordIsFound() {
        log.runs(10).sealed();
        AuditRecord record = record(7);
        log.records.remove(7L);
        log.records.put(100L, record.at(100));
        assertThat(findings()).contains(AuditFinding.deleted(7, 7));
    }

    @Test
    void aChangedLinkIsToldFromAChangedRecord() {
        log.runs(10).sealed();
        log.links.put(7L, new Seal(7, 7, "f".repeat(64)));
        assertThat(findings()).containsExactly(AuditFinding.linkChanged(7, 7));
        log.links.put(20L, new Seal(20, 20, "f".repeat(64)));
        assertThat(findings()).containsExactly(AuditFinding.linkChanged(7, 7), AuditFinding.linkChanged(20, 20));
    }

    @Test
    void aLinkThatNamesAnotherRecordIsFound() {
        log.runs(10).sealed();
        log.links.put(7L, new Seal(7, 5, link(7).hash()));
        assertThat(findings()).isNotEmpty();
    }

    @Test
    void missingLinksAreFound() {
        log.runs(10).sealed();
        log.links.remove(7L);
        log.links.remove(8L);
        assertThat(findings()).contains(AuditFinding.gap(9, 2));
        log.links.remove(1L);
        assertThat(findings()).contains(AuditFinding.gap(2, 1));
    }

    @Test
    void aCutOffEndIsFound() {
        log.runs(10).sealed();
        log.links.tailMap(18L).clear();
        assertThat(findings()).containsExactly(AuditFinding.truncated(17, log.head));
        log.links.clear();
        assertThat(findings()).containsExactly(AuditFinding.truncated(0, log.head));
    }

    @Test
    void aHeadThatIsNotTheLastLinkIsFound() {
        log.runs(10).sealed();
        log.head = new Seal(20, 20, "f".repeat(64));
        assertThat(findings()).containsExactly(AuditFinding.truncated(20, log.head));
    }

    @Test
    void aChainWrittenAnewIsFoundByWhoeverKeptALink() {
        log.runs(10).sealed();
        Witness kept = Witness.of(log.head, null);
        log.edit(7, record -> TamperedLog.blaming(record, "mallory"));
        log.links.clear();
        log.head = Seal.GENESIS;
        log.sealed();
        assertThat(findings()).as("it is a chain").isEmpty();
        assertThat(findings(kept)).containsExactly(AuditFinding.rewritten(20, kept));
        log.links.tailMap(15L).clear();
        log.head = link(14);
        assertThat(findings(kept)).containsExactly(AuditFinding.endsBefore(14, kept));
    }

    @Test
    void whatWasForgottenIsNotMissed() {
        log.runs(10).sealed();
        log.forgetUpTo(12);
        AuditReport report = verify();
        assertThat(report.isClean()).as(report.sentence()).isTrue();
        assertThat(report.records()).isEqualTo(8);

        log.forgetUpTo(20);
        assertThat(verify().isClean()).as("everything forgotten").isTrue();
    }

    @Test
    void aForgedAnchorIsFound() {
        log.runs(10).sealed();
        log.links.headMap(12L, true).clear();
        log.anchor = new Seal(12, 12, "f".repeat(64));
        assertThat(findings()).containsExactly(AuditFinding.edited(13, 13));
    }

    @Test
    void historyForgottenWhileSomebodyLooksIsNotMissed() {
        log.runs(600).sealed();
        int[] pages = {0};
        log.beforePage = () -> {
            if (++pages[0] == 2) {
                log.forgetUpTo(900);
            }
        };
        AuditReport report = verify();
        assertThat(report.isClean()).as(report.sentence()).isTrue();
        assertThat(report.to()).isEqualTo(log.head);
    }

    @Test
    void twoRunsUnderOneKeyAreFound() {
        log.began(1, 10);
        log.add(LockKey.of("acme", "other"), 3, 5, "PENDING", "RUNNING");
        log.began(2, 11);
        log.ended(1, 10);
        log.ended(2, 11);
        log.runs(0).sealed();
        AuditReport report = verify();
        assertThat(report.overlaps()).singleElement().satisfies(overlap -> {
            assertThat(overlap.first().run()).isEqualTo(TamperedLog.run(1));
            assertThat(overlap.second().run()).isEqualTo(TamperedLog.run(2));
            assertThat(overlap.position()).isEqualTo(3);
            assertThat(overlap.sentence()).contains("acme:ledger");
        });
        assertThat(report.findings()).hasSize(1);
    }

    @Test
    void aRetryIsNoOverlap() {
        log.began(1, 10);
        log.add(TamperedLog.KEY, 1, 10, "RUNNING", "QUEUED");
        log.began(2, 11);
        log.ended(2, 11);
        log.began(1, 12);
        log.sealed();
        assertThat(findings()).isEmpty();
    }

    @Test
    void aTokenThatDoesNotRiseIsFound() {
        log.began(1, 10);
        log.ended(1, 10);
        log.began(2, 10);
        log.sealed();
        assertThat(findings())
                .singleElement()
                .isInstanceOfSatisfying(
                        AuditFinding.TokenNotRising.class,
                        finding -> assertThat(finding.sentence())
                                .contains("token 10")
                                .contains(TamperedLog.run(2).toString()));
    }

    @Test
    void onlyKeysWithARunningRunAreRemembered() {
        AuditVerifier.Check.Grants grants = new AuditVerifier.Check.Grants();
        log.runs(100);
        log.began(101, 500);
        log.records.values().forEach(record -> grants.follow(record.sequence(), record, finding -> {}));
        assertThat(grants.size()).isEqualTo(1);
    }

    @Test
    void findingsAreBounded() {
        log.runs(1500).sealed().sealed();
        log.records.clear();
        AuditReport report = verify();
        assertThat(report.findings()).hasSize(AuditReport.MAX_FINDINGS);
        assertThat(report.more()).as("and that the counter went further").isEqualTo(2001);
    }

    private AuditReport verify() {
        return new AuditVerifier(log).verify(AuditVerifier.Outside.NOTHING);
    }

    private List<AuditFinding> findings(Witness... witnesses) {
        return new AuditVerifier(log)
                .verify(new AuditVerifier.Outside(List.of(witnesses), null, null))
                .findings();
    }

    private List<AuditFinding> findings() {
        return verify().findings();
    }

    private AuditRecord record(long sequence) {
        return log.records.getOrDefault(sequence, log.records.firstEntry().getValue());
    }

    private Seal link(long position) {
        return log.links.getOrDefault(position, Seal.GENESIS);
    }
}
