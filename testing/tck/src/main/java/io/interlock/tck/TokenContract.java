package io.interlock.tck;

import static io.interlock.tck.ContractRequests.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.TokenLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tokens always increase. */
interface TokenContract extends Contract {

    @Test
    default void tokensRiseFromReleaseToRelease() {
        List<FencingToken> tokens = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            LeaseRecord lease = client().take(key("rising"));
            tokens.add(lease.token());
            client().released(lease);
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    default void tokensRiseOverExpiry() {
        LeaseRecord before = client().take(key("rising"));
        bench().advancePast(TTL);
        risesAbove(before, client().take(key("rising")));
    }

    @Test
    default void tokensRiseOverASweep() {
        LeaseRecord before = client().take(key("rising"));
        bench().advancePast(TTL);
        assertThat(client().store().sweep(100)).hasSize(1);
        risesAbove(before, client().take(key("rising")));
    }

    /** Many grants within one millisecond put a key's tokens ahead of the clock; deleting its row must not undo that. */
    @Test
    default void tokensRiseOverTheDeletionOfAKeyWhoseTokensAreAheadOfTheClock() {
        LeaseRecord last = client().take(key("fast"));
        for (int i = 0; i < 100; i++) {
            client().released(last);
            LeaseRecord next = client().take(key("fast"));
            risesAbove(last, next);
            last = next;
        }
        client().released(last);
        client().store().sweep(100);
        risesAbove(last, bench().anotherClient().take(key("fast")));
    }

    @Test
    default void tokensRiseAfterALongUnusedKeyIsForgotten() {
        LeaseRecord before = client().take(key("rare"));
        client().released(before);
        advance(Duration.ofDays(400));
        client().store().sweep(100);
        risesAbove(before, client().take(key("rare")));
    }

    @Test
    default void tokensRiseOverEvictionAndTheVictimsStop() {
        LeaseRecord before = client().take(key("rising"));
        client().evicted(before);
        client().release(before);
        risesAbove(before, client().take(key("rising")));
    }

    @Test
    default void tokensRiseOverClosingAndReopening() {
        Client first = bench().anotherClient();
        LeaseRecord before = first.take(key("rising"));
        first.released(before);
        first.store().close();
        risesAbove(before, bench().anotherClient().take(key("rising")));
    }

    @Test
    default void tokensRiseOverACrash() {
        LeaseRecord before = client().take(key("rising"));
        client().released(before);
        assumeTrue(bench().harness().crash(), "this store cannot be crashed");
        risesAbove(before, bench().takeOnceRecovered(key("rising")));
    }

    @Test
    default void tokensRiseOverLossOfAllData() {
        LeaseRecord before = client().take(key("rising"));
        assumeTrue(bench().harness().loseData(), "this store cannot lose its data");
        risesAbove(before, bench().takeOnceRecovered(key("rising")));
    }

    @Test
    default void tokensRiseOverANewEpoch() {
        LeaseRecord before = client().take(key("rising"));
        client().released(before);
        client().store().bumpEpoch("restored a backup");
        bench().advancePast(bench().capabilities().maxLease());
        LeaseRecord after = client().take(key("rising"));
        risesAbove(before, after);
        assertThat(epoch(after)).isGreaterThan(epoch(before));
    }

    @Test
    default void everyNewEpochIsGreaterThanAllBefore() {
        LeaseRecord before = client().take(key("rising"));
        client().released(before);
        client().store().bumpEpoch("first");
        bench().anotherClient().store().bumpEpoch("second");
        bench().advancePast(bench().capabilities().maxLease());
        assertThat(epoch(client().take(key("rising")))).isGreaterThanOrEqualTo(epoch(before) + 2);
    }

    /** The clock in a token may be the store's or the machine's, which a harness may separate. */
    @Test
    default void tokensFollowTheLayoutOfAllStores() {
        for (LockKey key : List.of(key("one"), key("two"), LockKey.of("other-tenant", "one"))) {
            LeaseRecord lease = client().take(key);
            assertThat(lease.token().value())
                    .isGreaterThanOrEqualTo(TokenLayout.byClock((int) epoch(lease), lease.grantedAt()))
                    .isLessThanOrEqualTo(FencingToken.MAX_VALUE);
        }
    }

    private static void risesAbove(LeaseRecord before, LeaseRecord after) {
        assertThat(after.token()).as("token after %s", before.token()).isGreaterThan(before.token());
    }

    private static long epoch(LeaseRecord lease) {
        return lease.token().value() >>> TokenLayout.LOW_BITS;
    }
}
