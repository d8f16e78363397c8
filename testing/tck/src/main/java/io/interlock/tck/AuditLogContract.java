package io.interlock.tck;

import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Actor;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.Retention;
import io.interlock.run.Run;
import io.interlock.run.RunSpec.Origin;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.AuditLog.Sealed;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResourceRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Reading the audit log, and sealing it. */
interface AuditLogContract extends AuditWords {

    @Test
    default void recordsAreReadNewestFirstByWhatIsAskedFor() {
        log();
        Run first = client().starts(key("r1"), spec()).run();
        client().succeeds(client().claim());
        advance(Duration.ofMinutes(1));
        Run second = client().starts(key("r2"), spec()).run();
        Run stranger = client().starts(LockKey.of("globex", "r1"), spec()).run();
        List<AuditRecord> all = log().records(new AuditQuery(null, null, null, null, null, 0, 100));
        assertThat(all).hasSize(5);
        assertThat(all)
                .isSortedAccordingTo(
                        Comparator.comparingLong(AuditRecord::sequence).reversed());
        assertThat(read("acme", null, null, null))
                .hasSize(4)
                .allMatch(record -> record.key().tenant().equals("acme"));
        assertThat(log().records(AuditQuery.ofTenant("globex", 10)))
                .hasSize(1)
                .allMatch(record -> stranger.id().equals(record.run()));
        assertThat(read(null, key("r1"), null, null))
                .extracting(AuditRecord::run)
                .containsOnly(first.id());
        assertThat(read(null, null, second, null))
                .extracting(AuditRecord::after)
                .as("one record has the submission and the resulting state")
                .containsExactly("PENDING");
        assertThat(read("acme", null, null, "submitted"))
                .extracting(AuditRecord::run)
                .containsExactly(second.id(), first.id());
        assertThat(log().records(new AuditQuery("acme", null, null, null, second.submittedAt(), 0, 10)))
                .extracting(AuditRecord::run)
                .containsExactly(second.id());
        assertThat(log().records(new AuditQuery("acme", key("r1"), first.id(), "run", null, 0, 10)))
                .extracting(AuditRecord::after)
                .containsExactly("SUCCEEDED", "RUNNING");
        assertThat(read("initech", null, null, null)).isEmpty();
    }

    private List<AuditRecord> narrowed(@Nullable Instant until, String prefix, AuditQuery.@Nullable Actors actors) {
        return log().records(
                        AuditQuery.ofTenant("acme", 100).narrowed(new AuditQuery.Narrowing(until, prefix, actors)));
    }

    @Test
    default void recordsAreFoundByActorPrefixAndEnd() {
        log();
        Run worked = client().starts(key("ledger/1"), spec()).run();
        client().succeeds(client().claim());
        advance(Duration.ofSeconds(5));
        Run lost = client().starts(key("ledger/2"), spec()).run();
        client().claim();
        client().store().runs().pause(new PauseRequest("acme", "ledger/*", "carol", "upgrade", null));
        advance(Duration.ofMinutes(10));
        client().store().upkeep().sweepRuns(10);
        Run cancelled = client().starts(key("shop"), spec()).run();
        client().store().runs().cancel(new CancelRequest(cancelled.id(), Actor.of("carol"), "not needed"));
        assertThat(narrowed(null, "", AuditQuery.Actors.WORKERS))
                .extracting(AuditRecord::after)
                .containsExactly("RUNNING", "SUCCEEDED", "RUNNING");
        assertThat(narrowed(null, "", AuditQuery.Actors.RULES))
                .isNotEmpty()
                .allSatisfy(record -> assertThat(record.actor()).isEqualTo(AuditRecord.RULES))
                .extracting(AuditRecord::run)
                .contains(lost.id());
        assertThat(narrowed(null, "", AuditQuery.Actors.PEOPLE))
                .extracting(AuditRecord::action)
                .contains("submitted", "paused")
                .doesNotContain("resource");
        assertThat(narrowed(null, "", AuditQuery.Actors.PEOPLE))
                .as("who cancelled a run that had not begun")
                .anyMatch(record -> cancelled.id().equals(record.run())
                        && record.actor().equals("carol")
                        && record.after().equals("ABORTED"));
        assertThat(narrowed(null, "ledger/", null))
                .extracting(record -> record.key().name())
                .contains("ledger/1", "ledger/2", "ledger/*")
                .doesNotContain("shop");
        assertThat(narrowed(lost.submittedAt(), "", null))
                .extracting(AuditRecord::run)
                .containsOnly(worked.id());
        List<AuditRecord> all = narrowed(null, "", null);
        for (AuditQuery.Actors actors : AuditQuery.Actors.values()) {
            assertThat(narrowed(null, "", actors))
                    .as("as the rule says: %s", actors)
                    .isEqualTo(all.stream().filter(actors::did).toList());
        }
    }

    private List<AuditRecord> read(
            @Nullable String tenant, @Nullable LockKey key, @Nullable Run run, @Nullable String action) {
        return log().records(new AuditQuery(tenant, key, run == null ? null : run.id(), action, null, 0, 100));
    }

    @Test
    default void whatChangedNothingIsAppendedInOrderAndSealed() {
        log();
        client().starts(key("before"), spec());
        Instant wrong = Instant.parse("1999-01-01T00:00:00Z");
        LockKey key = LockKey.of("acme", "access-key/abcd1234");
        Actor actor = new Actor("key abcd1234 (Žofie 🚀)", "request-7", "2001:db8::7");
        log().append(List.of(
                AuditRecord.of(wrong, key, actor, "refused", "", "evictLease", "forbidden"),
                AuditRecord.of(wrong, AccessKey.UNKNOWN, Actor.of("unknown"), "refused", "", "listRuns", "no key")));
        AuditRecord first = log().records(AuditQuery.ofTenant("acme", 1)).get(0);
        assertThat(first.at()).as("the time of the store").isAfter(wrong);
        assertThat(first.at(wrong).at(0))
                .isEqualTo(AuditRecord.of(wrong, key, actor, "refused", "", "evictLease", "forbidden"));
        assertThat(unsealed(3)).extracting(AuditRecord::after).containsExactly("PENDING", "evictLease", "listRuns");
        sealAll(3);
        assertThat(log().sealed(0, 10)).hasSize(3);
        assertThat(read("acme", null, null, "refused")).containsExactly(first);
    }

    @Test
    default void everyActHasTheRequestAndTheAddressItCameFrom() {
        Actor carol = new Actor("carol", "request-7", "192.0.2.7");
        RunStore store = client().store();
        AuditLog log = log();
        Origin origin = new Origin("carol", null, "request-7", null, "192.0.2.7");
        Run cancelled = client().starts(key("cancelled"), spec().origin(origin)).run();
        store.runs().cancel(new CancelRequest(cancelled.id(), carol, "over"));
        Run stopped = client().starts(key("stopped"), spec()).run();
        client().claim();
        store.runs().cancel(new CancelRequest(stopped.id(), carol, "over"));
        LeaseRecord lease = new Client(store).take(key("evicted"));
        store.evict(new EvictRequest(key("evicted"), lease.token(), carol, "stuck"));
        store.runs().pause(new PauseRequest("acme", "paused", carol, "upgrade", null));
        store.runs().resume(new ResumeRequest("acme", "paused", carol, "done"));
        store.runs().setResource(new ResourceRequest(key("resource"), "cluster", "READY", 0, carol, "adopted", true));
        AccessKey drawn = new AccessKey(
                "abcd1234", "acme", Role.READ, "ops", "a".repeat(64), cancelled.submittedAt(), null, null);
        client().store().accessKeys().addKey(drawn, carol);
        client().store().accessKeys().revokeKey("abcd1234", carol, "left");
        assertThat(log.records(new AuditQuery("acme", null, null, null, null, 0, 100)))
                .filteredOn(record -> record.actor().equals("carol"))
                .extracting(record -> record.action() + " " + record.correlation() + " " + record.address())
                .containsExactlyInAnyOrder(
                        "submitted request-7 192.0.2.7",
                        "run request-7 192.0.2.7",
                        "stop-requested request-7 192.0.2.7",
                        "evicted request-7 192.0.2.7",
                        "paused request-7 192.0.2.7",
                        "resumed request-7 192.0.2.7",
                        "resource request-7 192.0.2.7",
                        "key-added request-7 192.0.2.7",
                        "key-revoked request-7 192.0.2.7");
        assertThat(store.queries().findRun(cancelled.id()).orElseThrow().spec().origin())
                .isEqualTo(origin);
    }

    @Test
    default void recordsAreReadInPages() {
        log();
        client().starts(key("paged"), spec());
        client().succeeds(client().claim());
        List<AuditRecord> first = log().records(AuditQuery.ofTenant("acme", 2));
        assertThat(first).extracting(AuditRecord::after).containsExactly("SUCCEEDED", "RUNNING");
        long before = first.get(1).sequence();
        assertThat(log().records(new AuditQuery("acme", null, null, null, null, before, 2)))
                .extracting(AuditRecord::after)
                .containsExactly("PENDING");
    }

    @Test
    default void theLogOfAKeyIsTheSameEverywhere() {
        log();
        client().starts(key("same"), spec());
        client().succeeds(client().claim());
        List<AuditRecord> newestFirst = read(null, key("same"), null, null);
        assertThat(client().store().audit().records(key("same"))).containsExactlyInAnyOrderElementsOf(newestFirst);
        assertThat(unsealed(3)).containsExactlyInAnyOrderElementsOf(newestFirst);
    }

    @Test
    default void aChainBeginsEmpty() {
        assertThat(log().head()).isEqualTo(Seal.GENESIS);
        assertThat(log().anchor()).isEqualTo(Seal.GENESIS);
        assertThat(log().sealed(0, 10)).isEmpty();
        assertThat(log().unsealed(10)).isEmpty();
    }

    @Test
    default void aSignatureIsReplacedOnlyByWhoeverKnowsTheLastOne() {
        AuditSignature first = new AuditSignature(0, "f".repeat(64));
        AuditSignature second = new AuditSignature(7, "e".repeat(64));
        assertThat(log().signature()).isEqualTo(AuditSignature.NONE);
        assertThat(log().sign(second, first)).as("not the current signature").isFalse();
        assertThat(log().sign(AuditSignature.NONE, first)).isTrue();
        assertThat(log().signature()).isEqualTo(first);
        assertThat(log().sign(AuditSignature.NONE, second)).isFalse();
        assertThat(log().signature()).isEqualTo(first);
        assertThat(log().sign(first, second)).isTrue();
        assertThat(log().sign(first, second)).as("already signed so").isTrue();
        assertThat(log().signature()).isEqualTo(second);
        assertThat(log().anchor()).isEqualTo(Seal.GENESIS);
    }

    @Test
    default void theCounterOfRecordsGoesAsFarAsTheRecords() {
        log();
        client().starts(key("counted"), spec());
        client().succeeds(client().claim());
        long last = unsealed(3).get(2).sequence();
        assertThat(log().numbers().kept()).isEqualTo(last);
        assertThat(log().numbers().counted()).isGreaterThanOrEqualTo(last);
        assertThat(log().numbers().missing()).isZero();
        sealAll(3);
        advance(Duration.ofHours(2));
        client().store()
                .upkeep()
                .forget(new Retention(Duration.ofDays(30), Duration.ofDays(30), Duration.ofHours(1)), 100);
        assertThat(log().records(AuditQuery.ofTenant("acme", 10))).isEmpty();
        assertThat(log().numbers().kept()).as("deleted records are not missing").isEqualTo(last);
        assertThat(log().numbers().missing()).isZero();
    }

    @Test
    default void whatIsSealedIsNoLongerToBeSealed() {
        log();
        client().starts(key("seal"), spec());
        Claimed work = client().claim();
        List<AuditRecord> records = unsealed(2);
        assertThat(records).isSortedAccordingTo(Comparator.comparingLong(AuditRecord::sequence));
        assertThat(log().unsealed(1)).containsExactly(records.get(0));
        List<Seal> one = links(Seal.GENESIS, records.subList(0, 1));
        assertThat(log().seal(Seal.GENESIS, one)).isTrue();
        assertThat(log().head()).isEqualTo(one.get(0));
        assertThat(log().unsealed(10)).containsExactly(records.get(1));
        sealAll(1);
        assertThat(log().unsealed(10)).isEmpty();
        client().succeeds(work);
        client().starts(key("seal"), spec());
        sealAll(2);
        List<Sealed> chain = wholeChain(Seal.GENESIS);
        assertThat(chain).extracting(link -> link.seal().position()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(chain)
                .extracting(Sealed::record)
                .containsExactlyElementsOf(client().store().audit().records(key("seal")));
        assertThat(log().sealed(1, 2)).containsExactlyElementsOf(chain.subList(1, 3));
        assertThat(log().anchor()).as("nothing was deleted").isEqualTo(Seal.GENESIS);
    }

    @Test
    default void whoseHeadIsOldSealsNothing() {
        log();
        client().starts(key("old-head"), spec());
        List<Seal> links = links(Seal.GENESIS, unsealed(1));
        assertThat(log().seal(Seal.GENESIS, links)).isTrue();
        assertThat(log().seal(Seal.GENESIS, links)).isFalse();
        Seal head = log().head();
        client().starts(key("old-head-2"), spec());
        List<AuditRecord> next = unsealed(1);
        Seal forged = new Seal(head.position(), head.sequence(), "f".repeat(64));
        assertThat(log().seal(forged, links(forged, next))).isFalse();
        assertThat(log().unsealed(10)).isEqualTo(next);
        wholeChain(Seal.GENESIS);
    }

    @Test
    default void severalSealersMakeOneChain() throws Exception {
        log();
        for (int i = 0; i < 30; i++) {
            client().starts(key("s" + i), spec());
        }
        unsealed(30);
        ParallelThreads.run(3, index -> {
            AuditLog own = bench().anotherClient().store().audit();
            // One of the concurrent sealers wins each round, so there are at most as many rounds as links.
            for (int round = 0; round < 100 && own.head().position() < 30; round++) {
                Seal head = own.head();
                own.seal(head, links(head, own.unsealed(2)));
            }
        });
        List<Sealed> chain = wholeChain(Seal.GENESIS);
        assertThat(chain).hasSize(30);
        assertThat(chain).extracting(link -> link.seal().sequence()).doesNotHaveDuplicates();
        assertThat(log().unsealed(10)).isEmpty();
    }

    @Test
    default void whatIsReadBackMakesTheSameSeal() {
        log();
        Origin origin = new Origin("Žofie 🚀", null, "order \\ 'x' \"y\" %s", null, "2001:db8::7");
        Run run = client().starts(key("räksmörgås/🎈"), spec().origin(origin)).run();
        client().store().runs().cancel(new CancelRequest(run.id(), "日本語", "it's no longer wanted; -- \\n \u00a0 é"));
        client().starts(key("räksmörgås/🎈"), spec());
        client().succeeds(client().claim());
        client().store().runs().pause(new PauseRequest("acme", "pipeline/*", "ö", "ß", null));
        List<AuditRecord> records = unsealed(6);
        assertThat(records)
                .extracting(AuditRecord::correlation)
                .contains("order \\ 'x' \"y\" %s")
                .containsNull();
        assertThat(records).extracting(AuditRecord::actor).contains("Žofie 🚀", "日本語", "ö");
        assertThat(records).extracting(AuditRecord::run).contains(run.id()).containsNull();
        sealAll(6);
        assertThat(wholeChain(Seal.GENESIS)).extracting(Sealed::record).containsExactlyElementsOf(records);
    }
}
