package io.interlock.engine.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.time.Environment;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests go only where they may, and no answer can harm. */
@Timeout(60)
class PinnedHttpTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final byte[] NOTHING = "{}".getBytes(StandardCharsets.UTF_8);

    @Test
    void aNameIsLookedUpOnceAndTheConnectionGoesThere() throws Exception {
        AtomicInteger lookups = new AtomicInteger();
        PinnedHttp.Resolver flipping =
                host -> List.of(address(lookups.incrementAndGet() == 1 ? "127.0.0.1" : "127.0.0.77"));
        try (OtherSide other = OtherSide.answering(200, "here");
                PinnedHttp http = http(flipping)) {
            assertThat(post(http, named(other.url("/x"))).body()).isEqualTo("here");
            assertThat(lookups).hasValue(1);
            assertThat(other.asked.get(0).header("host")).startsWith("other.test:");
        }
    }

    @Test
    void oneForbiddenAddressForbidsTheHost() throws Exception {
        try (OtherSide other = OtherSide.answering(200, "here");
                PinnedHttp http = http(host -> List.of(address("127.0.0.1"), address("10.0.0.1")))) {
            assertThatThrownBy(() -> post(http, named(other.url("/"))))
                    .isInstanceOf(PinnedHttp.ForbiddenAddressException.class)
                    .hasMessageContaining("other.test")
                    .hasMessageContaining("10.0.0.1");
            assertThat(other.asked).isEmpty();
        }
    }

    @Test
    void anAddressThatDoesNotAnswerIsPassedOver() throws Exception {
        try (OtherSide other = OtherSide.answering(200, "here");
                PinnedHttp http = http(host -> List.of(address("127.0.0.99"), address("127.0.0.1")))) {
            assertThat(post(http, named(other.url("/"))).body()).isEqualTo("here");
        }
    }

    @Test
    void aRedirectLeadsNowhere() throws Exception {
        try (OtherSide other = OtherSide.answering(302, "", "Location", "http://169.254.169.254/latest/meta-data");
                PinnedHttp http = http(host -> List.of(address("127.0.0.1")))) {
            assertThat(post(http, named(other.url("/"))).status()).isEqualTo(302);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more",
                "HTTP/1.1 200 OK\r\n\r\nhello",
                "HTTP/1.0 200\r\nX: y\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello",
                "HTTP/1.1 200 OK\ncontent-length:5\n\nhello"
            })
    void answersComeInManyShapes(String answer) throws Exception {
        try (RawServer other = RawServer.sending(answer);
                PinnedHttp http = http(PinnedHttp.Resolver.SYSTEM)) {
            assertThat(post(http, other.url()).body()).isEqualTo("hello");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hello",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
                "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello",
                "HTTP/1.1 200 OK\r\nno header\r\n\r\n",
                "HTTP/1.1 999 Odd\r\n\r\n",
                "HTTP/2 200\r\n\r\n"
            })
    void nonsenseIsNoAnswer(String answer) throws Exception {
        try (RawServer other = RawServer.sending(answer);
                PinnedHttp http = http(PinnedHttp.Resolver.SYSTEM)) {
            assertThatThrownBy(() -> post(http, other.url()))
                    .isInstanceOfAny(EOFException.class, ProtocolException.class);
        }
    }

    @Test
    void anAnswerWithoutEndIsCut() throws Exception {
        byte[] much = "x".repeat(100_000).getBytes(StandardCharsets.US_ASCII);
        for (String head : List.of("", "Content-Length: 1073741824\r\n", "Transfer-Encoding: chunked\r\n")) {
            try (RawServer other = RawServer.doing(out -> {
                        String start = head.startsWith("T") ? "40000000\r\n" : "";
                        out.write(("HTTP/1.1 200 OK\r\n" + head + "\r\n" + start).getBytes(StandardCharsets.US_ASCII));
                        while (true) {
                            out.write(much);
                        }
                    });
                    PinnedHttp http = http(PinnedHttp.Resolver.SYSTEM)) {
                HttpAnswer answer = post(http, other.url());
                assertThat(answer.cut()).isTrue();
                assertThat(answer.body()).hasSize(HttpAnswer.MOST);
                other.hungUp.await();
            }
        }
    }

    @Test
    void aHeadWithoutEndIsRefused() throws Exception {
        try (RawServer other = RawServer.doing(out -> {
                    out.write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.US_ASCII));
                    while (true) {
                        out.write("X: y\r\n".getBytes(StandardCharsets.US_ASCII));
                    }
                });
                PinnedHttp http = http(PinnedHttp.Resolver.SYSTEM)) {
            assertThatThrownBy(() -> post(http, other.url()))
                    .isInstanceOf(ProtocolException.class)
                    .hasMessageContaining("more than 16384 bytes");
            other.hungUp.await();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\n\r\n"})
    void anAnswerInDropsIsGivenUpInTime(String start) throws Exception {
        try (RawServer other = RawServer.dripping(start);
                PinnedHttp http = http(PinnedHttp.Resolver.SYSTEM)) {
            assertThatThrownBy(() -> http.post(other.url(), Map.of(), NOTHING, Duration.ofMillis(400))
                            .send())
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessageContaining("within 400ms");
            other.hungUp.await();
        }
    }

    @Test
    void whatWasCancelledBeforeIsNotSent() throws Exception {
        try (OtherSide other = OtherSide.answering(200, "");
                PinnedHttp http = http(PinnedHttp.Resolver.SYSTEM)) {
            HttpExchange exchange = http.post(other.url("/"), Map.of(), NOTHING, LONG);
            exchange.cancel();
            assertThatThrownBy(exchange::send).isInstanceOf(CancellationException.class);
            assertThat(other.asked).isEmpty();
        }
    }

    @Test
    void closingCancelsRequestsUnderWay() throws Exception {
        try (RawServer other = RawServer.dripping("HTTP/1.1 200 OK\r\nX: ");
                PinnedHttp http = http(PinnedHttp.Resolver.SYSTEM)) {
            HttpExchange exchange = http.post(other.url(), Map.of(), NOTHING, Duration.ofHours(1));
            FutureTask<HttpAnswer> answer = new FutureTask<>(exchange::send);
            new Thread(answer).start();
            other.asked.await();
            http.close();
            assertThatThrownBy(() -> answer.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(CancellationException.class);
            assertThatThrownBy(() -> post(http, other.url()))
                    .as("one that begins afterwards")
                    .isInstanceOf(CancellationException.class);
        }
    }

    @Test
    void headersMayReplaceTheUsualOnesButNotThoseOfHttp() throws Exception {
        try (OtherSide other = OtherSide.answering(200, "");
                PinnedHttp http = http(PinnedHttp.Resolver.SYSTEM)) {
            http.post(other.url("/"), Map.of("content-type", "text/plain", "USER-AGENT", "me"), NOTHING, LONG)
                    .send();
            assertThat(other.asked.get(0).header("content-type")).isEqualTo("text/plain");
            assertThat(other.asked.get(0).header("user-agent")).isEqualTo("me");
            assertThatThrownBy(() -> http.post(other.url("/"), Map.of("content-length", "0"), NOTHING, LONG))
                    .isInstanceOf(InvalidSettingException.class);
        }
    }

    private static PinnedHttp http(PinnedHttp.Resolver resolver) {
        HttpRules rules = HttpRules.hosts(List.of("other.test", "127.0.0.1")).networks(List.of("127.0.0.0/8"));
        return new PinnedHttp(rules, Environment.system(), resolver, null);
    }

    private static HttpAnswer post(PinnedHttp http, URI url) throws IOException {
        return http.post(url, Map.of(), NOTHING, LONG).send();
    }

    private static URI named(URI url) {
        return URI.create(url.toString().replace("127.0.0.1", "other.test"));
    }

    private static InetAddress address(String literal) throws UnknownHostException {
        return InetAddress.getByName(literal);
    }
}
