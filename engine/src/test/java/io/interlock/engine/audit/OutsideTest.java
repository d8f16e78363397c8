package io.interlock.engine.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.engine.audit.AuditKey.AuditSigner;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Changes that leave a whole chain behind, and what is kept outside the store to find them. */
class OutsideTest {

    private static final AuditKey KEY = AuditKey.of("0123456789abcdef0123456789abcdef");
    private static final AuditKey OTHER = AuditKey.of("another key, which is as long as that");

    private final TamperedLog log = new TamperedLog();

    @Test
    void anEndThatWasCutOffIsFoundByTheStoresCounter() {
        log.runs(10).sealed();
        cutOffAfter(15);
        assertThat(findings(null)).containsExactly(AuditFinding.missingAtEnd(15, 20, 15));
    }

    @Test
    void aLogThatWasEmptiedIsFoundByTheStoresCounter() {
        log.runs(10).sealed();
        cutOffAfter(0);
        assertThat(findings(null)).containsExactly(AuditFinding.missingAtEnd(0, 20, 0));
    }

    @Test
    void numbersThatCameToNothingAreNotMissed() {
        log.runs(10).sealed();
        cutOffAfter(15);
        log.unused = 5;
        assertThat(findings(null)).isEmpty();
        log.unused = 4;
        assertThat(findings(null)).hasSize(1);
    }

    @Test
    void recordsNotSealedYetAreNotMissed() {
        log.runs(10).sealed();
        log.began(11, 11);
        assertThat(findings(null)).isEmpty();
    }

    @Test
    void anEndThatWasCutOffIsFoundByAWitness() {
        log.runs(10).sealed();
        Witness witness = head();
        log.unused = 100;
        cutOffAfter(15);
        assertThat(findings(null, witness)).containsExactly(AuditFinding.endsBefore(15, witness));
    }

    @Test
    void everyWitnessIsCompared() {
        log.runs(3).sealed();
        Witness early = head();
        for (int run = 4; run <= 6; run++) {
            log.began(run, run);
            log.ended(run, run);
        }
        log.sealed();
        Witness late = head();
        assertThat(findings(null, early, late)).isEmpty();
        writeAnew(2);
        assertThat(findings(null, early, late))
                .containsExactly(AuditFinding.rewritten(6, early), AuditFinding.rewritten(12, late));
    }

    @Test
    void recordsForgottenBeforeTheirTimeAreFoundByAWitness() {
        log.runs(10).sealed();
        Witness witness =
                new Witness(8, log.links.getOrDefault(8L, Seal.GENESIS).hash(), TamperedLog.START);
        log.forgetUpTo(10);
        Instant before = TamperedLog.START.minus(Duration.ofDays(1));
        assertThat(findings(before, witness)).containsExactly(AuditFinding.forgottenEarly(10, witness, before));
        assertThat(findings(TamperedLog.START.plusSeconds(1), witness))
                .as("its time is over")
                .isEmpty();
        assertThat(findings(before, new Witness(8, witness.hash(), null)))
                .as("of an unknown time")
                .isEmpty();
    }

    @Test
    void theHeadOfAReportIsAWitness() {
        log.runs(3).sealed();
        Witness head =
                new AuditVerifier(log).verify(AuditVerifier.Outside.NOTHING).head();
        assertThat(head).isEqualTo(head()).extracting(Witness::at).isEqualTo(TamperedLog.START);
        assertThat(Witness.parse(head.toString())).isEqualTo(head);
    }

    @Test
    void aWitnessIsReadWithAndWithoutItsTime() {
        String hash = "aB".repeat(32);
        assertThat(Witness.parse(" 7:" + hash + "\n")).isEqualTo(new Witness(7, hash.toLowerCase(Locale.ROOT), null));
        assertThat(Witness.parse("7:" + hash + "@2026-01-01T00:00:00Z").at()).isEqualTo(TamperedLog.START);
        for (String wrong : List.of("", "7", "7:abc", ":" + hash, "-1:" + hash, "7:" + hash + "@noon")) {
            assertThatThrownBy(() -> Witness.parse(wrong))
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining("'" + wrong + "'")
                    .hasMessageContaining("POSITION:HASH");
        }
    }

    @Test
    void aChainWrittenAnewIsFoundByTheKey() {
        signed();
        assertThat(signedFindings()).isEmpty();
        writeAnew(7);
        assertThat(findings(null)).as("without the key it is a chain").isEmpty();
        assertThat(signedFindings()).containsExactly(AuditFinding.wrongSignature(20, 20));
    }

    @Test
    void aChainSignedWithAnotherKeyIsFound() {
        signed();
        writeAnew(7);
        new AuditSigner(log, OTHER).adopt();
        assertThat(signedFindings()).containsExactly(AuditFinding.wrongSignature(20, 20));
    }

    @Test
    void anEndThatWasCutOffIsFoundByTheKey() {
        signed();
        log.unused = 100;
        cutOffAfter(15);
        assertThat(signedFindings()).containsExactly(AuditFinding.wrongSignature(20, 15));
    }

    @Test
    void aSignatureThatWasRemovedIsFound() {
        signed();
        log.signature = AuditSignature.NONE;
        assertThat(signedFindings()).containsExactly(AuditFinding.notSigned(0));
    }

    @Test
    void whatCameAfterTheLastSignatureIsNoFinding() {
        signed();
        log.began(11, 11);
        log.ended(11, 11);
        log.sealed();
        assertThat(signedFindings()).isEmpty();
        log.forgetUpTo(20);
        assertThat(signedFindings()).as("the signed link is the anchor").isEmpty();
        log.forgetUpTo(21);
        assertThat(signedFindings()).as("the signed link is forgotten").containsExactly(AuditFinding.notSigned(21));
    }

    @Test
    void theSignerDoesNotVouchForAChainThatWasWrittenAnew() {
        AuditSigner signer = signed();
        AuditSignature before = log.signature;
        writeAnew(7);
        log.began(99, 99);
        log.sealed();
        assertThat(signer.runOnce()).isFalse();
        assertThat(log.signature).isEqualTo(before);
    }

    @Test
    void theSignerGoesOnWithAChainThatGrewOrWasForgotten() {
        AuditSigner signer = signed();
        log.began(99, 99);
        log.sealed();
        log.forgetUpTo(20);
        assertThat(signer.runOnce()).isTrue();
        assertThat(log.signature.position()).isEqualTo(21);
        log.forgetUpTo(21);
        assertThat(signer.runOnce()).isTrue();
    }

    @Test
    void aLogBegunWithoutAKeyIsSignedOnRequestOnly() {
        log.runs(10).sealed();
        AuditSigner signer = new AuditSigner(log, KEY);
        assertThat(signer.runOnce()).isFalse();
        assertThat(log.signature.isThere()).isFalse();
        assertThat(signer.adopt()).isEqualTo(log.head);
        assertThat(signer.runOnce()).isTrue();
        assertThat(signedFindings()).isEmpty();
    }

    @Test
    void aKeyIsLongAndDoesNotShow() {
        assertThatThrownBy(() -> AuditKey.of("short"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("5 characters")
                .hasMessageContaining("at least 32");
        assertThat(KEY).hasToString("AuditKey[***]");
    }

    private AuditSigner signed() {
        AuditSigner signer = new AuditSigner(log, KEY);
        assertThat(signer.runOnce()).as("an empty log").isTrue();
        log.runs(10).sealed();
        assertThat(signer.runOnce()).isTrue();
        assertThat(log.signature.position()).isEqualTo(20);
        return signer;
    }

    private void cutOffAfter(long position) {
        log.links.tailMap(position, false).clear();
        log.records.tailMap(position, false).clear();
        log.head = position == 0 ? Seal.GENESIS : log.links.lastEntry().getValue();
    }

    private void writeAnew(long edited) {
        log.edit(edited, record -> TamperedLog.blaming(record, "another"));
        log.links.clear();
        log.head = Seal.GENESIS;
        log.sealed();
    }

    private Witness head() {
        return Witness.of(log.head, TamperedLog.START);
    }

    private List<AuditFinding> findings(@Nullable Instant keptSince, Witness... witnesses) {
        return new AuditVerifier(log)
                .verify(new AuditVerifier.Outside(List.of(witnesses), null, keptSince))
                .findings();
    }

    private List<AuditFinding> signedFindings() {
        return new AuditVerifier(log)
                .verify(new AuditVerifier.Outside(List.of(), KEY, null))
                .findings();
    }
}
