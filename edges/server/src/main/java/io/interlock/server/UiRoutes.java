package io.interlock.server;

import io.interlock.ui.UiFiles;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The pages under {@code /ui/}. All links in them are relative, so they also work behind a proxy that puts a prefix before the path
 * and takes it away again. The page itself is asked for anew each time; its files have their version in the path and are kept.
 */
public final class UiRoutes {

    /** Nothing but our own files, and nothing written into the page itself: a name that looks like a script stays a name. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private static final String GZIP = "gzip";
    private static final String ROOT = "/ui/";
    private static final String ASSETS = "assets/";

    private static final Map<String, String> TYPES = Map.of(
            "js", "text/javascript; charset=utf-8",
            "map", "application/json",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml",
            "md", "text/markdown; charset=utf-8",
            "html", "text/html; charset=utf-8");

    private static final Set<String> PAGES = Set.of(
            "",
            "jobs",
            "locks",
            "lock",
            "runs",
            "queue",
            "dead-letters",
            "workers",
            "janitor",
            "audit",
            "settings",
            "docs");

    private final Vertx vertx;
    private final String provider;
    private volatile @Nullable Served files;

    private UiRoutes(Vertx vertx, String provider) {
        this.vertx = vertx;
        this.provider = provider;
    }

    /**
     * Adds the pages to {@code router}. The files are read on a thread that may wait, by the first request: a tenth of the CPU of a start,
     * and not every server is asked for a page.
     *
     * @param provider the name of the OpenID provider with which people sign in; empty if there is none
     */
    public static void addTo(Router router, Vertx vertx, String provider) {
        Handler<RoutingContext> pages = new UiRoutes(vertx, provider)::handle;
        router.route("/").method(HttpMethod.GET).method(HttpMethod.HEAD).handler(context -> redirect(context, "ui/"));
        router.route("/ui*").method(HttpMethod.GET).method(HttpMethod.HEAD).handler(pages);
    }

    private void handle(RoutingContext context) {
        String path = context.normalizedPath();
        if (path.equals("/ui")) {
            redirect(context, "ui/");
        } else if (!path.startsWith(ROOT)) {
            context.next();
        } else {
            withFiles(context, path.substring(ROOT.length()));
        }
    }

    private void withFiles(RoutingContext context, String path) {
        Served known = files;
        if (known == null) {
            vertx.executeBlocking(() -> Served.read(provider))
                    .onSuccess(read -> {
                        files = read;
                        answer(context, read, path);
                    })
                    .onFailure(context::fail);
        } else {
            answer(context, known, path);
        }
    }

    private static void answer(RoutingContext context, Served files, String path) {
        if (path.startsWith(ASSETS)) {
            asset(context, files, path.substring(ASSETS.length()));
        } else {
            page(context, files, path);
        }
    }

    private static void asset(RoutingContext context, Served files, String path) {
        String name = path.startsWith(files.version() + "/")
                ? path.substring(files.version().length() + 1)
                : "";
        Stored file = files.byName().get(name);
        if (file == null) {
            // Also an older version: an old page must be loaded anew, not mixed with new files.
            context.next();
            return;
        }
        String accepted = context.request().getHeader("Accept-Encoding");
        boolean packed = accepted != null && accepted.contains(GZIP);
        if (packed) {
            context.response().putHeader("Content-Encoding", GZIP);
        }
        context.response().putHeader("Vary", "Accept-Encoding");
        String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
        answer(context, type, "public, max-age=31536000, immutable", packed ? file.packed() : file.plain());
    }

    private static void page(RoutingContext context, Served files, String path) {
        String first = path.contains("/") ? path.substring(0, path.indexOf('/')) : path;
        if (!PAGES.contains(first)) {
            // The page says in its own words that there is no such thing.
            context.response().setStatusCode(404);
        }
        String up = "../".repeat((int) path.chars().filter(c -> c == '/').count());
        String html = files.page().replace("{assets}", up + ASSETS + files.version());
        answer(context, TYPES.getOrDefault("html", ""), "no-cache", Buffer.buffer(html));
    }

    private static void answer(RoutingContext context, String type, String caching, Buffer body) {
        HttpServerResponse response = context.response()
                .putHeader("Content-Type", type)
                .putHeader("Content-Security-Policy", POLICY)
                .putHeader("Cache-Control", caching)
                .putHeader("Content-Length", String.valueOf(body.length()));
        if (context.request().method().equals(HttpMethod.HEAD)) {
            response.end();
        } else {
            response.end(body);
        }
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }

    private static void redirect(RoutingContext context, String where) {
        context.response().setStatusCode(302).putHeader("Location", where).end();
    }

    /** All files, and the page with the name of the provider in it. */
    private record Served(Map<String, Stored> byName, String page, String version) {

        static Served read(String provider) {
            UiFiles all = UiFiles.read();
            Map<String, Stored> byName = new HashMap<>();
            all.names()
                    .forEach(name -> byName.put(name, Stored.of(all.file(name).orElseThrow())));
            String page = new String(all.file("index.html").orElseThrow(), StandardCharsets.UTF_8)
                    .replace("{provider}", escaped(provider));
            return new Served(byName, page, all.version());
        }
    }

    private record Stored(Buffer plain, Buffer packed) {

        static Stored of(byte[] bytes) {
            ByteArrayOutputStream into = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(into)) {
                gzip.write(bytes);
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
            return new Stored(Buffer.buffer(bytes), Buffer.buffer(into.toByteArray()));
        }
    }
}
