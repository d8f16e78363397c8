package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Histories that violate the guarantees, which must be found, and correct ones, which must pass. Times are seconds
 * after the start.
 */
class StoreAuditTest {

    private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");
    private static final LockKey KEY = LockKey.of("audited");
    private static final LeaseId A = ContractRequests.freshId();
    private static final LeaseId B = ContractRequests.freshId();

    private final History history = new History();

    @Test
    void honestTurnsPass() {
        granted(A, 1, 0, 30);
        renewed(A, 1, 20, 50);
        ended(A, 1, 40, 50);
        granted(B, 2, 40, 70);
        granted(A, 3, 70, 100);
        assertThat(findings()).isEmpty();
    }

    @Test
    void overlapIsFound() {
        granted(A, 1, 0, 30);
        granted(B, 2, 29, 59);
        assertThat(findings()).singleElement().asString().startsWith("I1: granted PT1S too early");
    }

    @Test
    void overlapWithARenewedLeaseIsFound() {
        granted(A, 1, 0, 30);
        renewed(A, 1, 20, 50);
        granted(B, 2, 35, 65);
        assertThat(findings()).singleElement().asString().startsWith("I1: granted PT15S too early");
    }

    @Test
    void aGrantBeforeTheReleaseIsFound() {
        granted(A, 1, 0, 30);
        ended(A, 1, 12, 30);
        granted(B, 2, 10, 40);
        assertThat(findings()).singleElement().asString().startsWith("I1: granted PT2S too early");
    }

    @Test
    void aGrantWithinTheLockDelayIsFound() {
        history.add(history.begin(), span -> granted(span, A, 1, 0, 30, Duration.ofSeconds(15)));
        granted(B, 2, 35, 65);
        assertThat(findings()).singleElement().asString().startsWith("I1: granted PT10S too early");
    }

    @Test
    void aReleaseWithoutClearAnswerMayHaveMadeRoom() {
        granted(A, 1, 0, 30);
        unclear(Event.Step.RELEASE, A);
        granted(B, 2, 10, 40);
        assertThat(findings()).isEmpty();
    }

    @Test
    void anAcquireWithoutClearAnswerMakesNoRoom() {
        granted(A, 1, 0, 30);
        unclear(Event.Step.ACQUIRE, A);
        granted(B, 2, 10, 40);
        assertThat(findings()).isNotEmpty();
    }

    @Test
    void aRenewalOfAnExpiredLeaseIsFound() {
        granted(A, 1, 0, 30);
        renewed(A, 1, 31, 61);
        assertThat(findings()).singleElement().asString().contains("though expired");
    }

    @Test
    void aRenewalThatShortensALeaseMakesRoomEarlier() {
        granted(A, 1, 0, 30);
        renewed(A, 1, 10, 12);
        granted(B, 2, 12, 42);
        assertThat(findings()).isEmpty();
    }

    @Test
    void overlapWithALeaseThatARenewalShortenedIsFound() {
        granted(A, 1, 0, 30);
        renewed(A, 1, 10, 12);
        granted(B, 2, 11, 41);
        assertThat(findings()).singleElement().asString().startsWith("I1: granted PT1S too early");
    }

    @Test
    void aRenewalAfterTheEndThatARenewalBroughtForwardIsFound() {
        granted(A, 1, 0, 30);
        renewed(A, 1, 10, 12);
        renewed(A, 1, 13, 43);
        assertThat(findings()).singleElement().asString().contains("though expired");
    }

    @Test
    void aRenewalAfterTheEndIsFound() {
        granted(A, 1, 0, 30);
        ended(A, 1, 10, 30);
        renewed(A, 1, 11, 41);
        assertThat(findings()).singleElement().asString().contains("renewed after it was released");
    }

    @Test
    void aRenewalAfterAnEvictionIsFound() {
        granted(A, 1, 0, 30);
        LeaseRecord victim = lease(A, 1, 0, 30, 5);
        history.add(history.begin(), span -> new Event.Evicted(span, victim));
        renewed(A, 1, 11, 41);
        assertThat(findings()).singleElement().asString().contains("evicted");
    }

    @Test
    void twoEndsAreFound() {
        granted(A, 1, 0, 30);
        ended(A, 1, 10, 30);
        ended(A, 1, 11, 30);
        assertThat(findings()).singleElement().asString().contains("ended 2 times");
    }

    @Test
    void aSweepOfWhatWasReleasedIsFound() {
        granted(A, 1, 0, 30);
        ended(A, 1, 10, 30);
        LeaseRecord lease = lease(A, 1, 0, 30, 31);
        history.add(history.begin(), span -> new Event.Swept(span, lease));
        assertThat(findings()).singleElement().asString().contains("swept 1 times and released 1 times");
    }

    @Test
    void oneTokenForTwoGrantsIsFound() {
        granted(A, 1, 0, 30);
        granted(B, 1, 30, 60);
        assertThat(findings()).singleElement().asString().startsWith("I2").contains("twice");
    }

    @Test
    void aTokenThatFallsIsFound() {
        granted(A, 7, 0, 30);
        granted(B, 6, 30, 60);
        assertThat(findings()).anyMatch(finding -> finding.startsWith("I2: the smaller token was given out later"));
    }

    @Test
    void aGrantOfWhatWasNotAskedForIsFound() {
        LeaseRecord lease = lease(B, 1, 0, 30, 0);
        AcquireRequest request = AcquireRequest.of(KEY, A, ContractRequests.HOLDER, ContractRequests.TTL);
        history.add(
                history.begin(),
                span -> new Event.Granted(span, request, List.of(new AcquireAnswer.Grant(lease, null))));
        assertThat(findings()).singleElement().asString().startsWith("I12");
    }

    @Test
    void aGrantOfHalfOfWhatWasAskedForIsFound() {
        LeaseRecord lease = lease(A, 1, 0, 30, 0);
        AcquireRequest request =
                AcquireRequest.of(List.of(KEY, LockKey.of("other")), A, ContractRequests.HOLDER, ContractRequests.TTL);
        history.add(
                history.begin(),
                span -> new Event.Granted(span, request, List.of(new AcquireAnswer.Grant(lease, null))));
        assertThat(findings()).singleElement().asString().startsWith("I12");
    }

    @Test
    void aGrantThatIsBornExpiredOrEvictedIsFound() {
        granted(A, 1, 10, 10);
        assertThat(findings()).anyMatch(finding -> finding.startsWith("I12"));
    }

    @Test
    void aLeaseHandedOutAfterAGrantPasses() {
        granted(A, 1, 0, 30);
        believed(A, 1);
        assertThat(findings()).isEmpty();
    }

    @Test
    void aCallThatThrewIsNoGrant() {
        unclear(Event.Step.ACQUIRE, A);
        believed(A, 1);
        assertThat(findings()).singleElement().asString().startsWith("I12: a lease was handed out");
    }

    @Test
    void aLeaseHandedOutBeforeItWasGrantedIsFound() {
        believed(A, 1);
        granted(A, 1, 0, 30);
        assertThat(findings()).singleElement().asString().startsWith("I12: a lease was handed out");
    }

    @Test
    void aLeaseHandedOutToAnotherThanItWasGrantedToIsFound() {
        granted(A, 1, 0, 30);
        believed(B, 1);
        assertThat(findings()).singleElement().asString().startsWith("I12: a lease was handed out");
    }

    @Test
    void aFailureThatIsNotCalledUnavailableIsFound() {
        history.add(
                history.begin(),
                span -> new Event.Unclear(span, Event.Step.RELEASE, KEY, A, new IllegalStateException("a driver's")));
        assertThat(findings())
                .singleElement()
                .asString()
                .startsWith("I12: no answer")
                .contains("a driver's");
    }

    @Test
    void leasesMovedByTheHarnessAreNoOverlap() {
        granted(A, 1, 0, 30);
        history.shift(Duration.ofSeconds(30));
        granted(B, 2, 1, 31);
        assertThat(findings()).isEmpty();
    }

    @Test
    void otherKeysDoNotMatter() {
        granted(A, 5, 0, 30);
        LeaseRecord lease = new LeaseRecord(
                LockKey.of("other"), B, ContractRequests.HOLDER, new FencingToken(2), at(1), at(31), at(1), null);
        AcquireRequest request =
                AcquireRequest.of(LockKey.of("other"), B, ContractRequests.HOLDER, ContractRequests.TTL);
        history.add(
                history.begin(),
                span -> new Event.Granted(span, request, List.of(new AcquireAnswer.Grant(lease, null))));
        assertThat(findings()).isEmpty();
    }

    private List<String> findings() {
        return StoreAudit.findings(history, Duration.ofNanos(1));
    }

    private void granted(LeaseId id, long token, int from, int to) {
        history.add(history.begin(), span -> granted(span, id, token, from, to, Duration.ZERO));
    }

    private static Event granted(Event.Span span, LeaseId id, long token, int from, int to, Duration lockDelay) {
        AcquireRequest request = AcquireRequest.of(KEY, id, ContractRequests.HOLDER, ContractRequests.TTL)
                .on(new LeaseTerms(ContractRequests.TTL, lockDelay));
        return new Event.Granted(
                span, request, List.of(new AcquireAnswer.Grant(lease(id, token, from, to, from), null)));
    }

    private void renewed(LeaseId id, long token, int at, int to) {
        LeaseRecord lease = lease(id, token, 0, to, at);
        history.add(history.begin(), span -> new Event.Renewed(span, lease));
    }

    private void ended(LeaseId id, long token, int at, int to) {
        LeaseRecord lease = lease(id, token, 0, to, at);
        history.add(history.begin(), span -> new Event.Ended(span, lease));
    }

    private void unclear(Event.Step step, LeaseId id) {
        history.add(
                history.begin(),
                span -> new Event.Unclear(span, step, KEY, id, new StoreUnavailableException("store", "was silent")));
    }

    private void believed(LeaseId id, long token) {
        history.add(history.begin(), span -> new Event.Believed(span, KEY, id, new FencingToken(token)));
    }

    private static LeaseRecord lease(LeaseId id, long token, int from, int to, int observed) {
        return new LeaseRecord(
                KEY, id, ContractRequests.HOLDER, new FencingToken(token), at(from), at(to), at(observed), null);
    }

    private static Instant at(int seconds) {
        return START.plusSeconds(seconds);
    }
}
