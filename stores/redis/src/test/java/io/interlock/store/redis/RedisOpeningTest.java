package io.interlock.store.redis;

import static io.interlock.store.redis.Leases.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import io.interlock.time.Environment;
import io.lettuce.core.AclSetuserArgs;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Refusals when a store is opened, their messages, and no leftovers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedisOpeningTest {

    private static final String SECRET = "s3cr3t-word";
    private final RedisProcess redis = RedisProcess.start(RedisProcess.FORGETFUL);

    @BeforeAll
    void addUsers() {
        redis.admin(commands ->
                commands.aclSetuser("worker", AclSetuserArgs.Builder.on().addPassword(SECRET)));
        redis.admin(commands -> commands.aclSetuser(
                "keeper",
                AclSetuserArgs.Builder.on()
                        .addPassword(SECRET)
                        .allCommands()
                        .keyPattern("{interlock}:*")
                        .channelPattern("{interlock}:*")));
    }

    @AfterAll
    void stop() {
        redis.close();
    }

    @AfterEach
    void nothingIsLeftBehind() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("interlock-redis")));
    }

    @Test
    void anEvictingPolicyIsRefused() {
        redis.admin(commands -> commands.configSet("maxmemory-policy", "allkeys-lru"));
        try {
            assertThatThrownBy(() -> open(redis.url()))
                    .isInstanceOf(UnsafeStoreException.class)
                    .hasMessageContaining("allkeys-lru")
                    .hasMessageContaining("set maxmemory-policy to noeviction");
        } finally {
            redis.admin(commands -> commands.configSet("maxmemory-policy", "noeviction"));
        }
    }

    @Test
    void aReplicaIsRefused() {
        try (RedisProcess replica =
                RedisProcess.start(List.of("--replicaof", "127.0.0.1 " + redis.port(), "--appendonly", "no"))) {
            assertThatThrownBy(() -> open(replica.url()))
                    .isInstanceOf(UnsafeStoreException.class)
                    .hasMessageContaining("is a replica of 127.0.0.1");
        }
    }

    @Test
    void dataOfANewerFormatIsRefusedAndLeftAlone() {
        redis.admin(commands -> commands.hset("{newer}:store", "format", "2"));
        assertThatThrownBy(() -> open(redis.url() + "?prefix=newer"))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("format 2")
                .hasMessageContaining("upgrade this program");
        Map<String, String> left = redis.admin(commands -> commands.hgetall("{newer}:store"));
        assertThat(left).containsOnlyKeys("format");
    }

    @Test
    void otherDataUnderOurNameIsRefused() {
        redis.admin(commands -> commands.set("{taken}:store", "a cat"));
        assertThatThrownBy(() -> open(redis.url() + "?prefix=taken"))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("choose another prefix");
    }

    @Test
    void aWrongPasswordIsSaidWithoutRepeatingIt() {
        Throwable refused = catchThrowable(() -> open(withUser("worker:not-" + SECRET)));
        assertThat(refused)
                .hasMessageContaining("wrong user or password")
                .isInstanceOfSatisfying(
                        InvalidSettingException.class,
                        forbidden -> assertThat(forbidden.code()).isEqualTo("forbidden"));
        assertThat(everythingSaidBy(refused)).doesNotContain(SECRET);
    }

    @Test
    void missingRightsAreNamed() {
        Throwable refused = catchThrowable(() -> open(withUser("worker:" + SECRET)));
        assertThat(refused).isInstanceOf(InvalidSettingException.class).hasMessageContaining("NOPERM");
        assertThat(everythingSaidBy(refused)).doesNotContain(SECRET);
    }

    @Test
    void aUserWithRightsOnlyToItsPrefixIsEnough() {
        try (LeaseStore store = open(withUser("keeper:" + SECRET) + "?firstUse=true")) {
            assertThat(take(store, "ledger").token().value()).isPositive();
            assertThat(store.capabilities().store()).doesNotContain(SECRET);
        }
    }

    @Test
    void anAbsentDatabaseIsSaid() {
        assertThatThrownBy(() -> open(redis.url().replace("/0", "/99")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("no such database");
    }

    @Test
    void nobodyThereIsUnavailable() throws IOException {
        int port = RedisProcess.freePort();
        Throwable refused = catchThrowable(() -> open("redis://:" + SECRET + "@127.0.0.1:" + port));
        assertThat(refused)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("redis://127.0.0.1:" + port + "/0")
                .hasMessageContaining("cannot be reached: Connection refused")
                .hasMessageContaining("check host and port in the store's URL");
        assertThat(everythingSaidBy(refused)).doesNotContain(SECRET);
    }

    @Test
    void somethingThatIsNoRedisIsUnavailable() throws Exception {
        try (ServerSocket web = new ServerSocket(0)) {
            Thread answering = Environment.system().threads("web").newThread(() -> {
                try {
                    while (true) {
                        var socket = web.accept();
                        socket.getOutputStream()
                                .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    }
                } catch (IOException closed) {
                    // The test is over.
                }
            });
            answering.start();
            assertThatThrownBy(() -> open("redis://127.0.0.1:" + web.getLocalPort() + "?timeout=1s"))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void somebodyWhoAcceptsAndSaysNothingIsUnavailableInTime() throws IOException {
        try (ServerSocket silent = new ServerSocket(0)) {
            long before = System.nanoTime();
            assertThatThrownBy(() -> open("redis://127.0.0.1:" + silent.getLocalPort() + "?timeout=500ms"))
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void theLongestLeaseEverUsedStays() {
        open(redis.url() + "?prefix=long&maxLease=20m").close();
        try (LeaseStore store = open(redis.url() + "?prefix=long&maxLease=1m")) {
            assertThat(store.capabilities().maxLease()).isEqualTo(Duration.ofMinutes(20));
        }
    }

    private static LeaseStore open(String url) {
        return Stores.open(url);
    }

    private String withUser(String credentials) {
        return redis.url().replace("//", "//" + credentials + "@");
    }

    private static String everythingSaidBy(Throwable failure) {
        StringWriter said = new StringWriter();
        failure.printStackTrace(new PrintWriter(said, true));
        return said.toString();
    }
}
