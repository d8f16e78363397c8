package io.interlock.tck;

import static io.interlock.tck.ContractRequests.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Listing leases. */
interface ListingContract extends Contract {

    @Test
    default void findAnswersInTheOrderOfTheQuestions() {
        LeaseRecord b = client().take(key("b"));
        LeaseRecord a = client().take(key("a"));
        List<Optional<LeaseRecord>> found = client().store().find(List.of(key("b"), key("none"), key("a"), key("b")));
        assertThat(found).hasSize(4);
        assertThat(found.get(0).orElseThrow().token()).isEqualTo(b.token());
        assertThat(found.get(1)).isEmpty();
        assertThat(found.get(2).orElseThrow().token()).isEqualTo(a.token());
        assertThat(found.get(3).orElseThrow().token()).isEqualTo(b.token());
        assertThat(client().store().find(List.of())).isEmpty();
    }

    @Test
    default void findReportsAnExpiredLeaseAsSuch() {
        LeaseRecord lease = client().take(key("late"));
        bench().advancePast(TTL);
        LeaseRecord found = client().find(key("late")).orElseThrow();
        assertThat(found.token()).isEqualTo(lease.token());
        assertThat(found.isExpired()).isTrue();
        assertThat(found.remaining()).isZero();
    }

    @Test
    default void listShowsLeasesThatHaveNotEnded() {
        client().take(key("expired"));
        advance(TTL.minusSeconds(10));
        client().take(key("live"));
        LeaseRecord evicted = client().take(key("evicted"));
        client().evicted(evicted);
        client().released(client().take(key("released")));
        bench().advancePast(TTL.minusSeconds(20));
        assertThat(names(client().store().list(LeaseQuery.ofTenant("acme")))).containsExactly("evicted", "live");
        LeasePage page = client().store().list(LeaseQuery.ofTenant("acme"));
        assertThat(page.leases().get(0).evicted()).isPresent();
        assertThat(page.cursor()).isEmpty();
    }

    @Test
    default void listSortsByTheBytesOfTheName() {
        List<String> names =
                List.of("a", "B", "aa", "a/b", "a b", "ä", "z", "Z", "ﬀ", "😀", "~", "0", "日", "a" + "é".repeat(20));
        names.forEach(name -> client().take(key(name)));
        List<String> sorted = new ArrayList<>(names);
        sorted.sort((x, y) ->
                Arrays.compareUnsigned(x.getBytes(StandardCharsets.UTF_8), y.getBytes(StandardCharsets.UTF_8)));
        assertThat(names(client().store().list(LeaseQuery.ofTenant("acme")))).isEqualTo(sorted);
    }

    @Test
    default void listSortsByTenantFirst() {
        for (String tenant : List.of("beta", "Alpha", "alpha", "alpha-2", "alpha.1", "0")) {
            take(LockKey.of(tenant, "x"), LockKey.of(tenant, "a"));
        }
        List<LockKey> keys = client().store().list(LeaseQuery.all()).leases().stream()
                .map(LeaseRecord::key)
                .toList();
        assertThat(keys).hasSize(12).isSorted();
    }

    @Test
    default void listFiltersByTenantExactly() {
        take(LockKey.of("acme", "x"), LockKey.of("ACME", "x"), LockKey.of("acme2", "x"), LockKey.of("a.me", "x"));
        assertThat(client().store().list(LeaseQuery.ofTenant("acme")).leases())
                .singleElement()
                .satisfies(lease -> assertThat(lease.key().tenant()).isEqualTo("acme"));
        assertThat(client().store().list(LeaseQuery.ofTenant("unknown")).leases())
                .isEmpty();
    }

    @Test
    default void aPrefixIsTakenLiterally() {
        List<String> names = List.of(
                "100%/a",
                "100x/a",
                "a_b/c",
                "axb/c",
                "back\\slash",
                "backXslash",
                "Job/1",
                "job/1",
                "job/2",
                "jobs",
                "äpfel/1",
                "apfel/1",
                "[a]*",
                "日本/東京",
                "日/x");
        names.forEach(name -> client().take(key(name)));
        for (String prefix :
                List.of("100%", "a_b", "back\\", "Job", "job", "job/", "ä", "日", "日本", "[a]*", "%", "_", "")) {
            assertThat(names(client().store().list(LeaseQuery.ofTenant("acme").startingWith(prefix))))
                    .as("names with prefix '%s'", prefix)
                    .containsExactlyInAnyOrderElementsOf(names.stream()
                            .filter(name -> name.startsWith(prefix))
                            .toList());
        }
    }

    @Test
    default void aPrefixWithoutTenantFindsAllTenants() {
        take(LockKey.of("a", "job/1"), LockKey.of("b", "job/2"), LockKey.of("b", "other"));
        assertThat(names(client().store().list(LeaseQuery.all().startingWith("job/"))))
                .containsExactly("job/1", "job/2");
    }

    @Test
    default void pagesFollowEachOtherWithoutGapOrRepetition() {
        List<LockKey> keys = IntStream.range(0, 23)
                .mapToObj(i -> LockKey.of(i % 2 == 0 ? "even" : "odd", "job/" + i))
                .toList();
        keys.forEach(key -> client().take(key));
        List<LockKey> seen = new ArrayList<>();
        LeaseQuery query = LeaseQuery.all().startingWith("job/").limit(5);
        LeasePage page = client().store().list(query);
        while (page.cursor().isPresent()) {
            assertThat(page.leases()).hasSize(5);
            page.leases().forEach(lease -> seen.add(lease.key()));
            page = client().store().list(query.after(page.cursor().get()));
        }
        page.leases().forEach(lease -> seen.add(lease.key()));
        assertThat(seen).isSorted().doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    default void aPageThatIsJustFullIsTheLast() {
        take(key("a"), key("b"), key("c"));
        LeasePage page = client().store().list(LeaseQuery.ofTenant("acme").limit(3));
        assertThat(page.leases()).hasSize(3);
        assertThat(page.cursor()).isEmpty();
        assertThat(names(client().store().list(LeaseQuery.ofTenant("acme").after(key("b")))))
                .containsExactly("c");
        assertThat(names(client().store().list(LeaseQuery.ofTenant("acme").after(key("bb")))))
                .as("after a key that has no lease")
                .containsExactly("c");
    }

    private void take(LockKey... keys) {
        for (LockKey key : keys) {
            client().take(key);
        }
    }

    private static Collection<String> names(LeasePage page) {
        return page.leases().stream().map(lease -> lease.key().name()).toList();
    }
}
