package io.interlock.store.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.auth.Permission;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.servers.EtcdCluster;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.Stores;
import io.interlock.time.Environment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** URLs, logins and namespaces. */
class EtcdOpeningTest {

    @ParameterizedTest
    @CsvSource({
        "etcd://one, etcd://one:2379 (prefix interlock)",
        "'etcd://one:1,[::1]:2,three', 'etcd://one:1,[::1]:2,three:2379 (prefix interlock)'",
        "etcds://user:pass%40word@one/?prefix=p, etcds://one:2379 (prefix p)"
    })
    void theNameOfAStoreHasItsMembersAndNoSecrets(String url, String name) {
        assertThat(EtcdSettings.of(StoreUrl.parse(url))).hasToString(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "etcd:",
                "etcd://",
                "etcd://one,,two",
                "etcd://one/path",
                "etcd://one:0",
                "etcd://one:65536",
                "etcd://user:secret%zz@one",
                "etcd://one?prefix=%zz",
                "etcd://user:secret@@one",
                "etcd://one?prefix=a/b",
                "etcd://one?maxLease=1s",
                "etcd://one?timeout=1ms",
                "etcd://one?ca=ca.pem",
                "etcds://one?cert=c.pem"
            })
    void aMistakeInTheUrlIsNamed(String url) {
        assertThatThrownBy(() -> EtcdSettings.of(StoreUrl.parse(url)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void aClusterThatDoesNotAnswerIsUnavailable() {
        assertThatThrownBy(() -> Stores.open("etcd://127.0.0.1:1?timeout=300ms"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("etcd://127.0.0.1:1");
    }

    @Test
    void aLoginIsCheckedAndLimitedToThePrefix() throws Exception {
        assumeTrue(EtcdCluster.isAvailable(), "etcd is not installed (Debian: etcd-server)");
        try (EtcdCluster cluster = EtcdCluster.start(1);
                Client client = Client.builder()
                        .endpoints(cluster.endpoints().toArray(String[]::new))
                        .build()) {
            restrict(client);
            String url = cluster.url().replace("//", "//app:s3cret@");
            try (LeaseStore store = Stores.open(url);
                    LeaseStore other = Stores.open(url)) {
                AcquireRequest request = AcquireRequest.of(
                        LockKey.of("acme", "k"),
                        LeaseId.random(Environment.system().random()),
                        new Holder("h", "h"),
                        Duration.ofSeconds(10));
                FencingToken token = ((AcquireAnswer.Granted)
                                store.tryAcquire(List.of(request)).only())
                        .grants()
                        .get(0)
                        .lease()
                        .token();
                assertThat(other.find(request.keys()).get(0).orElseThrow().token())
                        .isEqualTo(token);
            }
            assertThatThrownBy(() -> Stores.open(url + "?prefix=elsewhere"))
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining("grant readwrite on the prefix elsewhere/");
            assertThatThrownBy(() -> Stores.open(url.replace("s3cret", "wrong")))
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining("refused the login")
                    .hasMessageNotContaining("wrong");
        }
    }

    /** Members forget the tokens of logins when they start, and of clients that were idle for five minutes. */
    @Test
    void aClientLogsInAgainWhenItsLoginWasForgotten() throws Exception {
        assumeTrue(EtcdCluster.isAvailable(), "etcd is not installed (Debian: etcd-server)");
        try (EtcdCluster cluster = EtcdCluster.start(1);
                Client client = Client.builder()
                        .endpoints(cluster.endpoints().toArray(String[]::new))
                        .build()) {
            EtcdCluster.Member member = cluster.leader().orElseThrow();
            restrict(client);
            try (LeaseStore store = Stores.open(cluster.url().replace("//", "//app:s3cret@"))) {
                LockKey key = LockKey.of("acme", "k");
                assertThat(store.find(List.of(key))).containsExactly(Optional.empty());
                member.kill();
                member.start();
                AcquireRequest request = AcquireRequest.of(
                        key,
                        LeaseId.random(Environment.system().random()),
                        new Holder("h", "h"),
                        Duration.ofSeconds(10));
                Awaitility.await()
                        .atMost(Duration.ofSeconds(30))
                        .ignoreException(StoreUnavailableException.class)
                        .until(() -> store.tryAcquire(List.of(request)).only() instanceof AcquireAnswer.Granted);
            }
        }
    }

    private static void restrict(Client client) throws Exception {
        var auth = client.getAuthClient();
        auth.userAdd(text("root"), text("root")).get();
        auth.roleAdd(text("root")).get();
        auth.userGrantRole(text("root"), text("root")).get();
        auth.userAdd(text("app"), text("s3cret")).get();
        auth.roleAdd(text("app")).get();
        auth.roleGrantPermission(text("app"), text("interlock/"), text("interlock0"), Permission.Type.READWRITE)
                .get();
        auth.userGrantRole(text("app"), text("app")).get();
        auth.authEnable().get();
    }

    private static ByteSequence text(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }
}
