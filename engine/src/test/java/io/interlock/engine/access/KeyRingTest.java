package io.interlock.engine.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.Actor;
import io.interlock.InvalidKeyException;
import io.interlock.StoreUnavailableException;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.engine.FaultyStore;
import io.interlock.spi.run.AccessKeys;
import io.interlock.store.memory.MemoryStore;
import io.interlock.tck.ManualTime;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class KeyRingTest {

    private static final KeyRing.KeyOrder ORDER = new KeyRing.KeyOrder("acme", Role.WORKER, "worker-3", null);

    private final ManualTime time = new ManualTime();
    private final MemoryStore memory = new MemoryStore(time);
    private final FaultyStore faults = new FaultyStore(memory);
    private final AccessKeys kept = faults.store().accessKeys();
    private final KeyRing ring = new KeyRing(kept, time, Runnable::run);

    @Test
    void aKeyIsRecognisedWithItsTenantAndRole() {
        KeyRing.IssuedKey issued = now(ring.issue(ORDER, "tester"));
        AccessKey key = now(ring.recognise(issued.secret().text())).orElseThrow();
        assertThat(key.tenant()).isEqualTo("acme");
        assertThat(key.role()).isEqualTo(Role.WORKER);
        assertThat(key.label()).isEqualTo("worker-3");
    }

    @Test
    void onlyAHashIsKept() {
        KeyRing.IssuedKey issued = now(ring.issue(ORDER, "tester"));
        String secret = issued.secret().text().split("_", -1)[2];
        AccessKey row = memory.accessKeys().listKeys("acme").get(0);
        assertThat(row.hash()).isEqualTo(issued.secret().hash());
        assertThat(row.id() + row.hash() + row.label()).doesNotContain(secret);
    }

    @Test
    void twoKeysOfOneTenantCountAtOnceSoThatTheyCanBeRotated() {
        KeyRing.IssuedKey old = now(ring.issue(ORDER, "tester"));
        KeyRing.IssuedKey fresh = now(ring.issue(ORDER, "tester"));
        assertThat(now(ring.recognise(old.secret().text()))).isPresent();
        now(ring.revoke("acme", old.kept().id(), "tester", "rotated"));
        assertThat(now(ring.recognise(old.secret().text()))).isEmpty();
        assertThat(now(ring.recognise(fresh.secret().text()))).isPresent();
    }

    @Test
    void aRevocationByAnotherNodeArrivesWithinFiveSeconds() {
        KeyRing.IssuedKey issued = now(ring.issue(ORDER, "tester"));
        assertThat(now(ring.recognise(issued.secret().text()))).isPresent();
        KeyRing elsewhere = new KeyRing(kept, time, Runnable::run);
        now(elsewhere.revoke("acme", issued.kept().id(), "tester", "leaked"));
        time.advance(Duration.ofMillis(3_999));
        assertThat(now(ring.recognise(issued.secret().text())))
                .as("not asked yet")
                .isPresent();
        time.advance(Duration.ofMillis(1));
        assertThat(now(ring.recognise(issued.secret().text()))).isEmpty();
        assertThat(KeyRing.FRESH).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void theStoreIsAskedOnceForManyRequests() {
        KeyRing.IssuedKey issued = now(ring.issue(ORDER, "tester"));
        for (int i = 0; i < 100; i++) {
            assertThat(now(ring.recognise(issued.secret().text()))).isPresent();
        }
        assertThat(faults.calls("findKey")).isEqualTo(1);
    }

    @Test
    void requestsThatComeTogetherAskOnce() {
        KeyRing.IssuedKey issued = now(ring.issue(ORDER, "tester"));
        List<Runnable> waiting = new ArrayList<>();
        KeyRing slow = new KeyRing(kept, time, waiting::add);
        List<CompletableFuture<Optional<AccessKey>>> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            answers.add(slow.recognise(issued.secret().text()).toCompletableFuture());
        }
        assertThat(waiting).hasSize(1);
        waiting.get(0).run();
        assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isPresent());
    }

    @Test
    void unknownKeysAreRememberedBrieflyAndOthersAreNotPushedOut() {
        KeyRing.IssuedKey issued = now(ring.issue(ORDER, "tester"));
        now(ring.recognise(issued.secret().text()));
        String stranger = ApiKey.draw(RandomGenerator.getDefault()).text();
        assertThat(now(ring.recognise(stranger))).isEmpty();
        assertThat(now(ring.recognise(stranger))).isEmpty();
        assertThat(faults.calls("findKey")).isEqualTo(2);
        for (int i = 0; i < 20_000; i++) {
            now(ring.recognise(ApiKey.draw(RandomGenerator.getDefault()).text()));
        }
        int asked = faults.calls("findKey");
        assertThat(now(ring.recognise(issued.secret().text()))).isPresent();
        assertThat(faults.calls("findKey")).isEqualTo(asked);
        now(ring.recognise(stranger));
        assertThat(faults.calls("findKey"))
                .as("an early stranger is forgotten, memory is bounded")
                .isEqualTo(asked + 1);
    }

    @Test
    void aForgedSecretUnderAKnownIdIsRefused() {
        KeyRing.IssuedKey issued = now(ring.issue(ORDER, "tester"));
        ApiKey forged = ApiKey.draw(RandomGenerator.getDefault());
        memory.accessKeys()
                .addKey(
                        new AccessKey(
                                forged.id(),
                                "acme",
                                Role.ADMIN,
                                "other",
                                issued.secret().hash(),
                                issued.kept().createdAt(),
                                null,
                                null),
                        "tester");
        assertThat(now(ring.recognise(forged.text()))).isEmpty();
    }

    @Test
    void aKeyEndsByItself() {
        KeyRing.IssuedKey issued =
                now(ring.issue(new KeyRing.KeyOrder("acme", Role.READ, "visitor", Duration.ofMinutes(1)), "tester"));
        assertThat(now(ring.recognise(issued.secret().text()))).isPresent();
        time.advance(Duration.ofMinutes(1));
        assertThat(now(ring.recognise(issued.secret().text()))).isEmpty();
    }

    @Test
    void nobodyIsLetInWhileTheStoreIsAway() {
        KeyRing.IssuedKey issued = now(ring.issue(ORDER, "tester"));
        faults.down("findKey");
        assertThatThrownBy(() -> now(ring.recognise(issued.secret().text())))
                .hasCauseInstanceOf(StoreUnavailableException.class);
        faults.up();
        assertThat(now(ring.recognise(issued.secret().text()))).isPresent();
    }

    @Test
    void theFirstKeyIsMadeOnceAndMayActForAllTenants() {
        KeyRing.IssuedKey first = now(ring.bootstrap("start")).orElseThrow();
        assertThat(KeyRing.isBootstrap(first.kept())).isTrue();
        assertThat(first.kept().tenant()).isEqualTo("default");
        assertThat(first.kept().expiresAt()).isEqualTo(first.kept().createdAt().plus(KeyRing.FIRST_KEY));
        assertThat(now(ring.bootstrap("start"))).isEmpty();
        KeyRing.IssuedKey admin =
                now(ring.issue(new KeyRing.KeyOrder("default", Role.ADMIN, "bootstrap", null), "tester"));
        assertThat(KeyRing.isBootstrap(admin.kept())).isFalse();
        now(ring.revoke("default", first.kept().id(), "tester", "rotated"));
        assertThat(now(ring.bootstrap("start"))).as("another admin is there").isEmpty();
    }

    @Test
    void theLastUseIsThatOfARequestThatWasLetInAndKeptOnceAMinute() {
        KeyRing.IssuedKey issued = now(ring.issue(ORDER, "tester"));
        String wrong =
                issued.secret().text().replaceFirst(".$", issued.secret().text().endsWith("0") ? "1" : "0");
        now(ring.recognise(wrong));
        assertThat(faults.calls("keysUsed")).as("a wrong secret is no use").isZero();
        now(ring.recognise(issued.secret().text()));
        now(ring.recognise(issued.secret().text()));
        assertThat(faults.calls("keysUsed")).isEqualTo(1);
        assertThat(memory.accessKeys().findKey(issued.kept().id()).orElseThrow().usedAt())
                .isNotNull();
        time.advance(KeyRing.USE_NOTED_EVERY);
        now(ring.recognise(issued.secret().text()));
        assertThat(faults.calls("keysUsed")).isEqualTo(2);
    }

    @Test
    void anIdThatTheStoreHasMayBeKnownWhateverItsSecret() {
        KeyRing.IssuedKey issued = now(ring.issue(ORDER, "tester"));
        assertThat(ring.mayKnow(issued.secret().text())).isTrue();
        assertThat(ring.mayKnow(ApiKey.draw(new SecureRandom()).text())).isFalse();
        assertThat(ring.mayKnow("nonsense")).isFalse();
    }

    @Test
    void aTenantHasOnlySoManyKeysThatCount() {
        Actor admin = Actor.of("tester");
        now(ring.issue(ORDER, admin, 2));
        KeyRing.IssuedKey second = now(ring.issue(ORDER, admin, 2));
        assertThatThrownBy(() -> now(ring.issue(ORDER, admin, 2)))
                .hasCauseInstanceOf(TenantLimitException.class)
                .hasMessageContaining("limits.api-keys")
                .hasMessageContaining("2 API keys");
        now(ring.issue(new KeyRing.KeyOrder("globex", Role.READ, "other", null), admin, 2));
        now(ring.revoke("acme", second.kept().id(), admin, "rotated"));
        now(ring.issue(ORDER, admin, 2));
    }

    @Test
    void aKeyOfAnotherTenantIsNotRevoked() {
        KeyRing.IssuedKey issued = now(ring.issue(ORDER, "tester"));
        assertThat(now(ring.revoke("other", issued.kept().id(), "tester", "mine now")))
                .isEmpty();
        assertThat(now(ring.recognise(issued.secret().text()))).isPresent();
    }

    @Test
    void aBadTenantIsRefusedBeforeAKeyIsDrawn() {
        assertThatThrownBy(() -> new KeyRing.KeyOrder("a/b", Role.READ, "x", null))
                .isInstanceOf(InvalidKeyException.class);
    }

    private static <T> T now(CompletionStage<T> stage) throws CompletionException {
        return stage.toCompletableFuture().join();
    }
}
