package io.interlock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SettingsTest extends LocksFixture {

    private final LeaseOptions defaults = LeaseOptions.defaults();

    @Test
    void optionsNameTheValueTheLimitAndTheNextStep() {
        assertThatThrownBy(() -> defaults.ttl(Duration.ofMillis(1500)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("shortest lease of 2s");
        assertThatThrownBy(() -> defaults.ttl(Duration.ofSeconds(10)).renewEvery(Duration.ofSeconds(5)))
                .hasMessageContaining("renewEvery '5s'")
                .hasMessageContaining("ttl 10s must be at least 3 × renewEvery")
                .hasMessageContaining("raise ttl to 15s");
        assertThatThrownBy(() -> defaults.renewEvery(Duration.ZERO))
                .hasMessageContaining("must be above 0s; leave it out to renew every third of the ttl");
        assertThatThrownBy(() -> defaults.maxHold(Duration.ofSeconds(29)))
                .hasMessageContaining("maxHold '29s' is below ttl 30s");
        assertThatThrownBy(() -> defaults.lockDelay(Duration.ofHours(2))).hasMessageContaining("from 0s to 1h");
    }

    @Test
    void optionsAreRenewedEveryThirdOfTheTtlUnlessToldOtherwise() {
        assertThat(defaults.renewEvery()).isEqualTo(Duration.ofSeconds(10));
        assertThat(defaults.ttl(Duration.ofSeconds(6)).renewEvery()).isEqualTo(Duration.ofSeconds(2));
        assertThat(defaults.maxHold()).isEmpty();
    }

    @Test
    void locksRefuseSettingsOutOfTheirLimits() {
        assertThatThrownBy(() -> builder().pollEvery(Duration.ZERO).build())
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("pollEvery '0ms' must be above 0s");
        assertThatThrownBy(() -> builder().sweepEvery(Duration.ofSeconds(-1)).build())
                .hasMessageContaining("sweepEvery");
        assertThatThrownBy(() -> builder().drainTime(Duration.ofSeconds(-1)).build())
                .hasMessageContaining("drainTime");
        assertThatThrownBy(() ->
                        builder().options(defaults.ttl(Duration.ofMinutes(6))).build())
                .hasMessageContaining("ttl '6m' is above the store's maxLease of 5m");
    }

    @Test
    void aTtlAboveTheStoresLongestIsRefusedWhereItIsUsed() {
        assertThatThrownBy(() -> locks.tryAcquire(KEY, defaults.ttl(Duration.ofMinutes(6))))
                .isInstanceOf(InvalidSettingException.class);
        assertThat(store.acquires).isEmpty();
    }

    @Test
    void aHolderTellsTwoStartsOfOneProcessApart() {
        Lease one = hold(KEY);
        Locks other = builder().build();
        other.tryAcquire(OTHER).orElseThrow();
        String first = locks.find(KEY).orElseThrow().holder().instance();
        String second = locks.find(OTHER).orElseThrow().holder().instance();
        assertThat(first).isNotEqualTo(second).matches(".+-\\d+-[0-9a-f]{16}");
        assertThat(locks.find(KEY).orElseThrow().holder().label()).contains("(pid ");
        other.close();
        one.close();
    }
}
