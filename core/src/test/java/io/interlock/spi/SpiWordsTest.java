package io.interlock.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore.AcquireRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SpiWordsTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    @Test
    void aUrlHidesItsPasswordWhereverItIsShown() {
        StoreUrl url = StoreUrl.parse("PostgreSQL://app:s3cr:t@db:5432/locks?maxLease=10m");
        assertThat(url).hasToString("postgresql://app:***@db:5432/locks");
        assertThat(url.scheme()).isEqualTo("postgresql");
        assertThat(url.rest()).isEqualTo("//app:s3cr:t@db:5432/locks");
        assertThat(url.duration("maxLease", Duration.ZERO)).isEqualTo(Duration.ofMinutes(10));
        assertThatThrownBy(() -> url.allowOnly(Set.of("schema")))
                .hasMessageContaining("[maxLease]")
                .hasMessageContaining("[schema]")
                .hasMessageNotContaining("s3cr");
        assertThatThrownBy(() -> StoreUrl.parse("redis://:s3cr@h?a=1&a=2")).hasMessageNotContaining("s3cr");
        assertThatThrownBy(() -> StoreUrl.parse("redis://u:s3cr@h?a")).hasMessageNotContaining("s3cr");
        for (String cut :
                List.of("redis://u:s3cr/et@h/0", "redis://:s3cr/et@h", "redis://u:s3cr?et@h", "a://u:s3cr?et=1@h")) {
            assertThatThrownBy(() -> StoreUrl.parse(cut))
                    .hasMessageContaining("percent-encode")
                    .hasMessageNotContaining("s3cr")
                    .hasMessageNotContaining("et@");
        }
        for (String good : List.of(
                "postgresql://h:5432/db?ApplicationName=a@b",
                "postgresql://h:1,i:2/db?ApplicationName=a@b",
                "postgresql://[::1]/db?ApplicationName=a@b",
                "postgresql://u:p@h:5432/db?ApplicationName=a@b",
                "sqlite:/var/a@b/c:d.db",
                "sqlite:///var/a@b/c:d.db")) {
            assertThat(StoreUrl.parse(good).rest()).isNotEmpty();
        }
        assertThat(StoreUrl.parse("postgresql://u:p@q@h/db")).hasToString("postgresql://u:***@h/db");
    }

    @Test
    void aUrlDecodesItsOptions() {
        StoreUrl url = StoreUrl.parse("sqlite:/var/lib/a%20b?label=a%26b");
        assertThat(url.rest()).isEqualTo("/var/lib/a%20b");
        assertThat(url.option("label", "")).isEqualTo("a&b");
        assertThat(url.option("other", "x")).isEqualTo("x");
        assertThatThrownBy(() -> StoreUrl.parse("nothing")).hasMessageContaining("has no scheme");
        assertThatThrownBy(() -> Stores.open("nosuch:thing"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("'nosuch:'");
    }

    @Test
    void tokensRiseWhateverTheClockDoes() {
        Random random = new Random(5);
        long previous = 0;
        long floor = 0;
        int epoch = 1;
        for (int i = 0; i < 10_000; i++) {
            Instant now = NOW.plusMillis(random.nextInt(2_000_000) - 1_000_000);
            if (random.nextInt(500) == 0) {
                epoch++;
            }
            if (random.nextInt(10) == 0) {
                floor = Math.max(floor, previous);
                previous = 0;
            }
            FencingToken next = TokenLayout.next(previous, floor, epoch, now);
            assertThat(next.value()).isGreaterThan(Math.max(previous, floor));
            previous = next.value();
        }
    }

    @Test
    void aNewEpochIsAboveEveryTokenOfTheOldOne() {
        Instant farAway = Instant.parse("2160-01-01T00:00:00Z");
        long last = TokenLayout.byClock(3, farAway);
        assertThat(TokenLayout.byClock(4, NOW)).isGreaterThan(last);
        assertThat(TokenLayout.byClock(TokenLayout.MAX_EPOCH, farAway)).isLessThanOrEqualTo(FencingToken.MAX_VALUE);
        assertThat(TokenLayout.byClock(0, Instant.EPOCH)).isEqualTo(1);
    }

    @Test
    void answersKnowWhatIsOpen() {
        Answers<String> partly = Answers.partly(Arrays.asList("a", null));
        assertThat(partly.size()).isEqualTo(2);
        assertThat(partly.isOpen(0)).isFalse();
        assertThat(partly.isOpen(1)).isTrue();
        assertThatThrownBy(() -> partly.get(1)).hasMessageContaining("request 1 of 2 is left open");
        assertThatThrownBy(partly::only).hasMessageContaining("a batch of 2");
        assertThat(Answers.of(List.of("a")).only()).isEqualTo("a");
    }

    @Test
    void aRequestSortsItsKeysAndForgetsRepetitions() {
        Holder holder = new Holder("i", "label");
        LeaseId id = LeaseId.random(new Random(1));
        AcquireRequest request = AcquireRequest.of(
                List.of(LockKey.of("b"), LockKey.of("a"), LockKey.of("b")), id, holder, Duration.ofSeconds(30));
        assertThat(request.keys()).containsExactly(LockKey.of("a"), LockKey.of("b"));
        assertThat(request.waits()).isFalse();
        assertThat(request.waiting().waits()).isTrue();
        assertThat(request.taking(AcquireRequest.Takeover.onlyCleared(Map.of()))
                        .takeover()
                        .ask())
                .isTrue();
        List<LockKey> many = new ArrayList<>();
        for (int i = 0; i <= AcquireRequest.MAX_KEYS; i++) {
            many.add(LockKey.of("k" + i));
        }
        assertThatThrownBy(() -> AcquireRequest.of(many, id, holder, Duration.ofSeconds(30)))
                .hasMessageContaining("must be from 1 to 100");
        assertThatThrownBy(() -> AcquireRequest.of(List.of(), id, holder, Duration.ofSeconds(30)))
                .isInstanceOf(InvalidSettingException.class);
    }
}
