package io.interlock.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.run.AuditChain;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AuditLog.Sealed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The links of a page of audit records, made again from records that are those that were sealed, or are not. */
class SealPageTest {

    private static final Seal HEAD = new Seal(40, 100, "a".repeat(64));

    /** Numbers 101 to 110, of which 104 belongs to a transaction that was rolled back. */
    private final List<AuditRecord> records = LongStream.rangeClosed(101, 110)
            .filter(number -> number != 104)
            .mapToObj(SealPageTest::record)
            .toList();

    private final List<Seal> sealed = chain(HEAD, records);
    private final SealPage page = new SealPage(sealed.get(8), 41, 101, 1);

    private static AuditRecord record(long number) {
        return new AuditRecord(
                number,
                Instant.EPOCH.plusSeconds(number),
                LockKey.of("acme", "key"),
                null,
                null,
                "alice",
                "paused",
                "",
                "",
                "because",
                null,
                null);
    }

    private static List<Seal> chain(Seal head, List<AuditRecord> records) {
        List<Seal> links = new ArrayList<>();
        for (AuditRecord record : records) {
            links.add(AuditChain.next(links.isEmpty() ? head : links.get(links.size() - 1), record));
        }
        return links;
    }

    private static List<Long> positions(SealPage.Links links) {
        return links.links().stream().map(link -> link.seal().position()).toList();
    }

    private static List<Long> gone(SealPage.Links links) {
        return links.links().stream()
                .filter(link -> link.record() == null)
                .map(link -> link.seal().sequence())
                .toList();
    }

    private List<AuditRecord> without(long... numbers) {
        return records.stream()
                .filter(record -> LongStream.of(numbers).noneMatch(number -> number == record.sequence()))
                .toList();
    }

    /** The page has all its places, ends with the link that was kept, and is not taken for what was sealed. */
    private SealPage.Links wrong(List<AuditRecord> found) {
        SealPage.Links links = page.links(HEAD, found);
        assertThat(links.verified()).isFalse();
        assertThat(positions(links))
                .isEqualTo(LongStream.rangeClosed(41, 49).boxed().toList());
        assertThat(links.links().get(8).seal()).isEqualTo(page.last());
        return links;
    }

    @Test
    void whatWasSealedMakesTheSameLinks() {
        SealPage.Links links = page.links(HEAD, records);
        assertThat(links.verified()).isTrue();
        assertThat(links.links()).extracting(Sealed::seal).containsExactlyElementsOf(sealed);
        assertThat(links.links()).extracting(Sealed::record).containsExactlyElementsOf(records);
    }

    @Test
    void theRestOfAPageHangsOnTheAnchor() {
        SealPage.Links links = page.links(sealed.get(3), records.subList(4, 9));
        assertThat(links.verified()).isTrue();
        assertThat(links.links()).extracting(Sealed::seal).containsExactlyElementsOf(sealed.subList(4, 9));
    }

    @Test
    void anEditedRecordIsNoticedAtTheEndOfThePage() {
        List<AuditRecord> edited = new ArrayList<>(records);
        edited.set(2, record(1).at(103));
        SealPage.Links links = wrong(edited);
        assertThat(gone(links)).isEmpty();
        assertThat(AuditChain.next(
                        links.links().get(7).seal(),
                        Objects.requireNonNull(links.links().get(8).record())))
                .isNotEqualTo(links.links().get(8).seal());
    }

    @Test
    void missingRecordsHavePlacesWithoutARecord() {
        assertThat(gone(wrong(without(101)))).containsExactly(101L);
        assertThat(gone(wrong(without(110)))).containsExactly(110L);
        assertThat(gone(wrong(without(102, 110)))).containsExactly(102L, 110L);
        assertThat(gone(wrong(without(106))))
                .as("an unused number may stand for the one that is gone")
                .containsExactly(104L);
        assertThat(gone(wrong(List.of()))).hasSize(9).endsWith(110L);
    }

    @Test
    void recordsThatWereAddedChangeTheEnd() {
        List<AuditRecord> more = new ArrayList<>(records);
        more.add(3, record(104));
        assertThat(gone(wrong(more))).isEmpty();
        List<AuditRecord> instead = new ArrayList<>(without(110));
        instead.add(3, record(104));
        assertThat(gone(wrong(instead))).as("one added, one deleted").containsExactly(110L);
    }

    @Test
    void afterAMissingPageTheLinksHaveTheirOwnPlaces() {
        SealPage.Links links = page.links(new Seal(20, 60, "b".repeat(64)), records);
        assertThat(links.verified()).isFalse();
        assertThat(positions(links))
                .isEqualTo(LongStream.rangeClosed(41, 49).boxed().toList());
    }

    @Test
    void numbersThatWereNeverSealedHaveLinksThatNoRecordAgreesWith() {
        SealPage lost = SealPage.lost(HEAD, 3, 7);
        assertThat(lost.last().position()).isEqualTo(43);
        SealPage.Links links = lost.links(HEAD, List.of());
        assertThat(links.verified()).isTrue();
        assertThat(gone(links)).containsExactly(101L, 102L, 103L);
        assertThat(lost.links(HEAD, records.subList(0, 3)).verified()).isFalse();
    }

    @Test
    void aRowThatClaimsTooMuchIsNoBurden() {
        Seal far = new Seal(Long.MAX_VALUE / 2, Long.MAX_VALUE / 2, "c".repeat(64));
        assertThat(new SealPage(far, 41, 101, 1).links(HEAD, records).links()).hasSizeLessThan(20_000);
    }
}
