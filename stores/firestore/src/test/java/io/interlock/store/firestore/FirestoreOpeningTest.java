package io.interlock.store.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.Stores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** URLs, names of documents, and what stands between a client and its database. */
class FirestoreOpeningTest {

    @ParameterizedTest
    @CsvSource({
        "firestore://shop, firestore://shop/(default) (prefix interlock)",
        "firestore://shop/, firestore://shop/(default) (prefix interlock)",
        "firestore://example.com:shop/(default), firestore://example.com:shop/(default) (prefix interlock)",
        "firestore://shop/locks?prefix=p, firestore://shop/locks (prefix p)",
        "firestore://shop?emulator=127.0.0.1:80, firestore://shop/(default) at 127.0.0.1:80 (prefix interlock)"
    })
    void theNameOfAStoreHasItsDatabase(String url, String name) {
        assertThat(FirestorePlace.of(StoreUrl.parse(url)).displayName()).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "firestore:",
                "firestore://",
                "firestore://Shop",
                "firestore://shop/a/b",
                "firestore://shop?prefix=a/b",
                "firestore://shop?prefix=__a__",
                "firestore://shop?prefix=..",
                "firestore://shop?maxLease=1s",
                "firestore://shop?timeout=1ms",
                "firestore://shop?emulator=localhost",
                "firestore://shop?emulator=localhost:1&credentials=key.json",
                "firestore://shop?ca=ca.pem"
            })
    void aMistakeInTheUrlIsNamed(String url) {
        assertThatThrownBy(() -> FirestorePlace.of(StoreUrl.parse(url))).isInstanceOf(InvalidSettingException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a/b", "a.b", "a.0b/.1", "../__x__", "日本/東京", "\uD83D\uDE00", "a,b"})
    void everyKeyHasADocumentOfItsOwn(String name) {
        FirestorePlace place = FirestorePlace.of(StoreUrl.parse("firestore://shop"));
        LockKey key = LockKey.of("a.b-c_d", name);
        String document = place.document(key);
        assertThat(place.key(document)).isEqualTo(key);
        assertThat(document.split("/", -1)).hasSize(7);
    }

    @Test
    void itSaysThatClientsPollAndThatAKeyIsWrittenOnceASecond() {
        try (FirestoreServer server = FirestoreServer.start();
                LeaseStore store = Stores.open(server.url())) {
            StoreCapabilities capabilities = store.capabilities();
            assertThat(capabilities.wakeUps()).isFalse();
            assertThat(capabilities.writeEvery()).isEqualTo(Duration.ofSeconds(1));
            assertThat(StoreCapabilities.keepsRuns(server.url())).isFalse();
        }
    }

    @Test
    void aDatabaseThatDoesNotExistIsAMistakeInTheUrl() {
        try (FirestoreServer server = FirestoreServer.start()) {
            assertThatThrownBy(() -> Stores.open(server.url().replace("//test", "//test/other")))
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining("gcloud firestore databases create");
        }
    }

    @Test
    void aServerThatDoesNotAnswerIsUnavailable() {
        assertThatThrownBy(() -> Stores.open("firestore://shop?emulator=127.0.0.1:1&timeout=300ms"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("firestore://shop/(default) at 127.0.0.1:1");
    }

    @Test
    void credentialsThatCannotBeReadAreNamed(@TempDir Path folder) throws Exception {
        Path wrong = Files.writeString(folder.resolve("key.json"), "{}");
        assertThatThrownBy(() -> Stores.open("firestore://shop?credentials=" + wrong))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("credentials=FILE");
        assertThatThrownBy(() -> Stores.open("firestore://shop?credentials=" + folder.resolve("none")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("credentials=FILE");
    }
}
