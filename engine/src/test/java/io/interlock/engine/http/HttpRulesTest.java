package io.interlock.engine.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where requests may go. */
class HttpRulesTest {

    private static final HttpRules RULES =
            HttpRules.hosts(List.of("api.example.com", "*.example.org", "bücher.example"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://api.example.com/x",
                "http://API.Example.COM:8080/x?y",
                "https://api.example.com./",
                "https://a.example.org/",
                "https://a.b.example.org/",
                "https://xn--bcher-kva.example/"
            })
    void namedHostsAreAllowed(String url) {
        assertThat(RULES.require(URI.create(url))).isEqualTo(URI.create(url));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://example.com/",
                "https://example.org/",
                "https://notexample.org/",
                "https://api.example.com.evil.test/",
                "https://evil.test/api.example.com",
                "https://api.example.com@evil.test/",
                "https://user:secret@api.example.com/",
                "https://api.example.com/#x",
                "https://2130706433/",
                "https://0x7f.1/",
                "https://[::1]/",
                "ftp://api.example.com/",
                "file:///etc/passwd",
                "//api.example.com/",
                "mailto:x@api.example.com",
                "/x"
            })
    void othersAreNot(String url) {
        assertThatThrownBy(() -> RULES.require(URI.create(url)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.1.2.3",
                "10.0.0.1",
                "10.255.255.255",
                "100.64.0.1",
                "100.100.100.200",
                "127.0.0.1",
                "127.255.255.254",
                "168.63.129.16",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.1",
                "192.0.2.1",
                "192.88.99.1",
                "192.168.0.1",
                "198.18.0.1",
                "198.19.255.255",
                "198.51.100.1",
                "203.0.113.1",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::ffff:127.0.0.1",
                "::ffff:10.0.0.1",
                "::127.0.0.1",
                "64:ff9b::7f00:1",
                "64:ff9b::a9fe:a9fe",
                "100::1",
                "2001::1",
                "2001:db8::1",
                "2002:7f00:1::",
                "2002:a9fe:a9fe::1",
                "3fff::1",
                "fc00::1",
                "fd00:ec2::254",
                "fe80::1",
                "fec0::1",
                "ff02::1",
                "5f00::1",
                "4000::1"
            })
    void addressesThatAreNotPublicAreRefused(String address) throws Exception {
        assertThat(RULES.allows(InetAddress.getByName(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1",
                "9.255.255.255",
                "11.0.0.0",
                "93.184.216.34",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.1",
                "168.63.129.15",
                "169.253.255.255",
                "172.15.255.255",
                "172.32.0.0",
                "192.167.255.255",
                "192.169.0.0",
                "198.17.255.255",
                "198.20.0.0",
                "223.255.255.255",
                "::ffff:1.1.1.1",
                "2606:4700::1111",
                "2001:4860:4860::8888",
                "2a00:1450::1"
            })
    void publicAddressesAreAllowed(String address) throws Exception {
        assertThat(RULES.allows(InetAddress.getByName(address))).isTrue();
    }

    @Test
    void namedNetworksAreAllowedAndNoMore() throws Exception {
        HttpRules rules = RULES.networks(List.of("10.1.0.0/16", "192.168.7.7", "fd00::/8", "127.0.0.0/9"));
        for (String inside : List.of("10.1.0.0", "10.1.255.255", "192.168.7.7", "fd12::1", "127.127.0.1", "8.8.8.8")) {
            assertThat(rules.allows(InetAddress.getByName(inside))).as(inside).isTrue();
        }
        for (String outside : List.of("10.0.255.255", "10.2.0.0", "192.168.7.6", "fc00::1", "127.128.0.1", "::1")) {
            assertThat(rules.allows(InetAddress.getByName(outside))).as(outside).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "::/129",
                "10.0.0.0/x",
                "localhost/8",
                "1.2.3/8",
                "256.0.0.1/8"
            })
    void unreadableNetworksAreSaid(String network) {
        assertThatThrownBy(() -> RULES.networks(List.of(network)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("network '" + network + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*", "*.", "https://x", "a b", "*.*.x", "x/y", "x:80"})
    void unreadableHostsAreSaid(String host) {
        assertThatThrownBy(() -> HttpRules.hosts(List.of(host))).isInstanceOf(InvalidSettingException.class);
    }

    @Test
    void withoutNamedHostsNothingIsAllowed() {
        assertThatThrownBy(() -> HttpRules.hosts(List.of()).require(URI.create("https://example.com/")))
                .isInstanceOf(InvalidSettingException.class);
    }
}
