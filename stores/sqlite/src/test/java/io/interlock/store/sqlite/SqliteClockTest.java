package io.interlock.store.sqlite;

import static io.interlock.store.sqlite.Caller.KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.TokenLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteClockTest {

    @TempDir
    Path folder;

    private final SetClock environment = new SetClock("2026-05-01T12:00:00Z");
    private final FakeHostClock host = FakeHostClock.booted("boot-1");
    private final Deque<LeaseStore> opened = new ArrayDeque<>();

    @AfterEach
    void close() {
        opened.forEach(LeaseStore::close);
    }

    @Test
    void momentsAreTheBootPlusTheTimeSince() {
        Caller caller = open(host);
        LeaseRecord lease = caller.take(KEY);
        host.pass(Duration.ofSeconds(7));

        LeaseRecord later = caller.find(KEY).orElseThrow();
        assertThat(lease.grantedAt()).isEqualTo(Instant.parse("2026-05-01T12:00:00Z"));
        assertThat(lease.expiresAt()).isEqualTo(lease.grantedAt().plus(Caller.TTL));
        assertThat(later.grantedAt()).isEqualTo(lease.grantedAt());
        assertThat(later.heldFor()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void settingTheWallClockChangesNoLease() {
        Caller caller = open(host);
        LeaseRecord lease = caller.take(KEY);
        environment.set("2031-01-01T00:00:00Z");
        assertThat(caller.refusal(KEY)).isInstanceOf(Refusal.Held.class);
        assertThat(caller.find(KEY).orElseThrow().observedAt()).isEqualTo(lease.grantedAt());
        environment.set("2025-01-01T00:00:00Z");
        host.pass(Caller.TTL);

        LeaseRecord next = open(host).take(KEY);
        assertThat(next.token().isAfter(lease.token())).isTrue();
        assertThat(next.grantedAt()).isEqualTo(lease.expiresAt());
    }

    @Test
    void tokensRiseWithoutTheHelpOfTheClock() {
        Caller caller = open(host);
        LeaseRecord released = caller.take(KEY);
        caller.release(released);
        environment.set("2025-01-01T00:00:00Z");
        LeaseRecord swept = caller.take(KEY);
        assertThat(swept.token().isAfter(released.token())).isTrue();

        host.pass(Caller.TTL);
        assertThat(caller.store().sweep(10)).extracting(LeaseRecord::token).containsExactly(swept.token());
        assertThat(caller.find(KEY)).isEmpty();
        LeaseRecord next = caller.take(KEY);
        assertThat(next.token().isAfter(swept.token())).isTrue();

        caller.store().bumpEpoch("a test");
        caller.release(next);
        host.pass(Duration.ofMinutes(5).minusMillis(10));
        assertThat(caller.refusal(KEY)).isInstanceOf(Refusal.StoreRecovering.class);
        host.pass(Duration.ofMillis(10));
        assertThat(caller.take(KEY).token().value() >> TokenLayout.LOW_BITS).isEqualTo(1);
    }

    @Test
    void aNewBootEndsAllLeasesAtItsMoment() {
        Caller before = open(host);
        LeaseRecord lease = before.take(KEY);
        environment.set("2026-05-01T12:00:25Z");
        host.reboot("boot-2");

        Caller after = open(host);
        LeaseRecord ended = after.find(KEY).orElseThrow();
        assertThat(ended.isExpired()).isTrue();
        assertThat(ended.expiresAt()).isEqualTo(Instant.parse("2026-05-01T12:00:05Z"));
        assertThat(ended.observedAt()).isEqualTo(Instant.parse("2026-05-01T12:00:25Z"));
        RenewAnswer renewed = after.renew(lease);
        assertThat(renewed)
                .isInstanceOfSatisfying(
                        RenewAnswer.Lost.class, lost -> assertThat(lost.cause()).isEqualTo(LossCause.EXPIRED));
        var grant = after.grant(KEY);
        assertThat(grant.lease().token().isAfter(lease.token())).isTrue();
        assertThat(grant.predecessor()).isPresent();
    }

    @Test
    void timeDoesNotGoBackOverABootWithAWrongWallClock() {
        LeaseRecord lease = open(host).take(KEY);
        host.pass(Duration.ofSeconds(10));
        LeaseRecord second = open(host).take(LockKey.of("other"));
        environment.set("2025-01-01T00:00:00Z");
        host.reboot("boot-2");

        LeaseRecord next = open(host).take(KEY);
        assertThat(next.grantedAt()).isAfterOrEqualTo(second.grantedAt());
        assertThat(next.token().isAfter(lease.token())).isTrue();
    }

    @Test
    void aProcessFromBeforeTheFileWentToAnotherMachineIsRefused() {
        Caller here = open(host);
        LeaseRecord lease = here.take(KEY);
        Caller elsewhere = open(FakeHostClock.booted("boot-of-another"));
        elsewhere.take(KEY);

        assertThatThrownBy(() -> here.renew(lease))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("another machine");
        assertThatThrownBy(() -> here.ask(KEY)).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> here.find(KEY)).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aClockThatIsBehindIsRefused() {
        FakeHostClock behind = new FakeHostClock("boot-1", Duration.ofMinutes(59), true);
        Caller early = open(behind);
        open(host).take(KEY);

        assertThatThrownBy(() -> early.ask(KEY))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("60000 ms ahead");
        assertThatThrownBy(() -> open(behind))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("60000 ms ahead")
                .hasMessageContaining("time namespace");
    }

    @Test
    void aClockALittleBehindStandsStillUntilItHasCaughtUp() {
        LeaseRecord lease = open(host).take(KEY);
        Caller behind = open(new FakeHostClock("boot-1", Duration.ofHours(1).minusMillis(800), true));

        assertThat(behind.find(KEY).orElseThrow().observedAt()).isEqualTo(lease.grantedAt());
    }

    @Test
    void aRefusalDoesNotWriteTheTimeDown() {
        Caller caller = open(host);
        caller.take(KEY);
        try (TestDatabase database = new TestDatabase(file())) {
            long before = database.number("PRAGMA data_version");
            host.pass(Duration.ofSeconds(5));
            assertThat(caller.refusal(KEY)).isInstanceOf(Refusal.Held.class);
            assertThat(database.number("PRAGMA data_version")).isEqualTo(before);
            caller.take(LockKey.of("other"));
            assertThat(database.number("PRAGMA data_version")).isNotEqualTo(before);
        }
    }

    @Test
    void theWallClockAsHostClockNeverGoesBack() {
        HostClock wall = new HostClock.Wall(environment.clock());
        Caller caller = open(wall);
        LeaseRecord lease = caller.take(KEY);
        assertThat(lease.grantedAt()).isEqualTo(Instant.parse("2026-05-01T12:00:00Z"));
        environment.set("2026-05-01T11:00:00Z");

        assertThat(open(wall).refusal(KEY)).isInstanceOf(Refusal.Held.class);
        assertThat(caller.find(KEY).orElseThrow().observedAt()).isEqualTo(lease.grantedAt());
        environment.set("2026-05-01T12:00:30Z");
        caller.take(KEY);
    }

    @Test
    void readsTheFilesOfLinux() throws IOException {
        Files.createDirectories(folder.resolve("sys/kernel/random"));
        Files.writeString(folder.resolve("sys/kernel/random/boot_id"), "0d3c-id\n");
        Files.writeString(folder.resolve("uptime"), "1448.05 2785.12\n");

        HostClock clock = HostClock.of(folder, environment);
        assertThat(clock.bootId()).isEqualTo("0d3c-id");
        assertThat(clock.uptime()).isEqualTo(1_448_050_000L);
        assertThat(clock.steady()).isTrue();

        Files.writeString(folder.resolve("uptime"), "soon\n");
        assertThatThrownBy(clock::uptime).isInstanceOf(IOException.class).hasMessageContaining("soon");
    }

    @Test
    void otherSystemsUseTheWallClock() {
        assertThat(HostClock.of(folder, environment)).isInstanceOf(HostClock.Wall.class);
    }

    private Caller open(HostClock clock) {
        SqliteSettings settings = SqliteSettings.of(StoreUrl.parse("sqlite:" + file()));
        LeaseStore store = SqliteStoreFactory.open(settings, environment, clock);
        opened.push(store);
        return new Caller(store);
    }

    private Path file() {
        return folder.resolve("leases.db");
    }
}
