package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.interlock.access.Role;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The pages behind a proxy that adds a path prefix. */
class PrefixTest extends BrowserTest {

    private static final String PREFIX = "/ops/interlock/";

    private final HttpClient http = HttpClient.newHttpClient();

    @Override
    boolean hasHistory() {
        return false;
    }

    @Test
    void aPrefixNeedsNoSetting() throws IOException {
        site().submit("prefix/1", "nightly-close", "behind a proxy");
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.createContext(PREFIX, this::pass);
        proxy.start();
        try (Visitor ada = visitor(Role.OPERATOR)) {
            String root = "http://127.0.0.1:" + proxy.getAddress().getPort() + PREFIX;
            Page page = ada.page;
            ada.context.clearCookies();
            page.navigate(root);
            page.getByLabel("API key or one-time code").fill(site().apiKey(Role.OPERATOR));
            page.locator("button:has-text('Sign in')").click();
            assertThat(page.locator("main")).containsText("prefix/1");
            assertThat(page.url()).isEqualTo(root + "ui/");
            page.locator("main tbody a.key").first().click();
            assertThat(page.locator("h1")).hasText("prefix/1");
            page.locator(".tabs a:has-text('Runs')").first().click();
            page.locator("section[aria-label=Runs] a.mono").first().click();
            assertThat(page.locator("h1")).containsText("Run");
            assertThat(page.url()).startsWith(root + "ui/runs/");
            page.reload();
            assertThat(page.locator("h1")).containsText("Run");
            ada.isContent();
        } finally {
            proxy.stop(0);
        }
    }

    private void pass(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString().substring(PREFIX.length());
        if (path.endsWith("/stream")) {
            // This proxy forwards complete answers, so it cannot forward the endless event stream.
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
            return;
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(site().root() + path))
                .method(
                        exchange.getRequestMethod(),
                        BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
        for (String name : List.of("Cookie", "Content-Type", "X-CSRF-Token", "Accept")) {
            if (exchange.getRequestHeaders().containsKey(name)) {
                request.header(name, exchange.getRequestHeaders().getFirst(name));
            }
        }
        HttpResponse<byte[]> answer =
                http.sendAsync(request.build(), BodyHandlers.ofByteArray()).join();
        answer.headers().map().forEach((name, values) -> {
            if (!List.of("content-length", "transfer-encoding").contains(name.toLowerCase(Locale.ROOT))) {
                exchange.getResponseHeaders().put(name, values);
            }
        });
        exchange.sendResponseHeaders(answer.statusCode(), answer.body().length == 0 ? -1 : answer.body().length);
        exchange.getResponseBody().write(answer.body());
        exchange.close();
    }
}
