package io.interlock.cli.backend;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.Json;
import io.interlock.service.Facts;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Speaks to a server. By {@code HttpURLConnection}, since {@code java.net.http} would cost every start another half second. Safe for
 * use by many threads.
 */
public final class ServerClient {

    private static final String API = "/api/v1";
    private static final int CONNECT_MILLIS = 5_000;
    private static final Duration READ = Duration.ofSeconds(15);
    private static final Duration SHORTEST = Duration.ofMillis(500);
    private static final int LEASE_PARTS = 6;
    private static final int PAGE = 200;
    private static final int NO_CONTENT = 204;
    private static final int REDIRECTED = 300;
    private static final int REFUSED = 400;
    private static final int TOO_MANY = 429;
    private static final int FAULT = 500;

    private final String base;
    private final Map<String, String> headers;
    private final @Nullable SSLSocketFactory trusted;

    /** A client of the server at {@code url}. */
    public ServerClient(String url, Map<String, String> headers) {
        this(url, headers, null);
    }

    private ServerClient(String url, Map<String, String> headers, @Nullable SSLSocketFactory trusted) {
        this.base = (url.endsWith("/") ? url.substring(0, url.length() - 1) : url) + API;
        this.headers = Map.copyOf(headers);
        this.trusted = trusted;
    }

    /** This, which believes only servers whose certificates come from an authority in {@code file}, in PEM. */
    public ServerClient trusting(Path file) {
        return new ServerClient(toString(), headers, trusted(file));
    }

    @Override
    public String toString() {
        return base.substring(0, base.length() - API.length());
    }

    /** What a server said. */
    public record Answer(String path, int status, Facts body) {

        public boolean isGood() {
            return status < 300;
        }

        /** Whether it is no answer to the question: the server stops, has lost its store, or is asked too much. Later it may be. */
        public boolean isForNow() {
            return status == TOO_MANY || status >= FAULT;
        }
    }

    /** Asks for something. */
    public Facts get(String path, String... query) {
        return good(send("GET", path + query(query), null, Map.of(), Duration.ZERO))
                .body();
    }

    /** Asks for something, and has the server wait for a change. */
    Facts getWithin(Duration wait, String path) {
        Map<String, String> prefer = Map.of("Prefer", "wait=" + Math.max(1, wait.toSeconds()));
        return good(send("GET", path, null, prefer, wait)).body();
    }

    /** Has something done. */
    Facts post(String path, @Nullable Facts body) {
        return good(send("POST", path, body, Map.of(), Duration.ZERO)).body();
    }

    /** Has something set. */
    Facts put(String path, Facts body) {
        return good(send("PUT", path, body, Map.of(), Duration.ZERO)).body();
    }

    /** Takes something away. */
    void delete(String path, String... query) {
        good(send("DELETE", path + query(query), null, Map.of(), Duration.ZERO));
    }

    /** All items of a list, page by page, up to {@code limit}. */
    List<Facts> items(int limit, String path, String... query) {
        return items(limit, any -> true, path, query);
    }

    /** Those items of a list that are wanted, page by page, up to {@code limit}. */
    List<Facts> items(int limit, Predicate<Facts> wanted, String path, String... query) {
        List<Facts> items = new ArrayList<>();
        String cursor = "";
        do {
            List<String> words = new ArrayList<>(List.of(query));
            words.addAll(List.of("limit", Integer.toString(Math.min(PAGE, limit)), "cursor", cursor));
            Facts page = get(path, words.toArray(String[]::new));
            page.list("items").stream().filter(wanted).forEach(items::add);
            cursor = page.shown("cursor");
        } while (!cursor.isEmpty() && items.size() < limit);
        return items.size() > limit ? items.subList(0, limit) : items;
    }

    /** Has something done; whatever the answer is. */
    public Answer tryPost(String path, Facts body, Duration wait) {
        return send("POST", path, body, Map.of(), wait);
    }

    /** A heartbeat, whatever the answer is. It is given up so early that there is time for another before the lease ends. */
    public Answer heartbeat(String path, Facts body, Duration lease) {
        Duration part = lease.dividedBy(LEASE_PARTS);
        Duration limit = part.compareTo(SHORTEST) < 0 ? SHORTEST : part.compareTo(READ) > 0 ? READ : part;
        return send(new Request("POST", path, body, Map.of(), limit), new RequestAbort());
    }

    /** Like {@link #tryPost(String, Facts, Duration)}, until it is aborted. */
    public Answer tryPost(String path, Facts body, Duration wait, RequestAbort hangUp) {
        try {
            return send(new Request("POST", path, body, Map.of(), READ.plus(wait)), hangUp);
        } catch (NullPointerException cutOff) {
            // What HttpURLConnection throws if it is disconnected while it reads.
            throw new Failure(ExitCode.UNAVAILABLE, "hung up", null);
        }
    }

    /** The answer, if it is good. */
    static Answer good(Answer answer) {
        if (answer.isGood()) {
            return answer;
        }
        throw failure(answer);
    }

    private record Request(
            String method, String path, @Nullable Facts body, Map<String, String> headers, Duration limit) {}

    private Answer send(String method, String path, @Nullable Facts body, Map<String, String> more, Duration wait) {
        return send(new Request(method, path, body, more, READ.plus(wait)), new RequestAbort());
    }

    private Answer send(Request request, RequestAbort hangUp) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) new URI(base + request.path()).toURL().openConnection();
            if (trusted != null && connection instanceof HttpsURLConnection secure) {
                secure.setSSLSocketFactory(trusted);
            }
            connection.setRequestMethod(request.method());
            // The API key would go along, to whatever address stands there.
            connection.setInstanceFollowRedirects(false);
            int limit = (int) request.limit().toMillis();
            connection.setConnectTimeout(Math.min(CONNECT_MILLIS, limit));
            connection.setReadTimeout(limit);
            headers.forEach(connection::setRequestProperty);
            request.headers().forEach(connection::setRequestProperty);
            if (request.body() != null) {
                connection.setRequestProperty("Content-Type", "application/json");
                connection.setDoOutput(true);
            }
            connection.connect();
            hangUp.reaches(connection);
            if (request.body() != null) {
                connection.getOutputStream().write(Json.line(request.body()).getBytes(StandardCharsets.UTF_8));
            }
            int status = connection.getResponseCode();
            requireNoRedirect(status, connection.getHeaderField("Location"));
            try (InputStream in = status < REFUSED ? connection.getInputStream() : connection.getErrorStream()) {
                String text = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
                return new Answer(request.path(), status, status == NO_CONTENT ? Facts.none() : words(status, text));
            }
        } catch (MalformedURLException | URISyntaxException | IllegalArgumentException | ClassCastException malformed) {
            throw new Failure(
                    ExitCode.CONFIGURATION,
                    "'" + base + "' is no address of a server",
                    "write --server as http://localhost:8080 or https://…");
        } catch (SSLException untrusted) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    "server-untrusted",
                    "no trusted connection to the server at " + base + ": " + untrusted.getMessage(),
                    "if its certificate comes from an authority of your own, name that by --cacert FILE");
        } catch (IOException unreachable) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    "server-unreachable",
                    "the server at " + base + " cannot be reached: " + unreachable.getMessage(),
                    "see whether it runs, and whether --server or INTERLOCK_SERVER names it");
        }
    }

    private void requireNoRedirect(int status, @Nullable String location) {
        if (status >= REDIRECTED && status < REFUSED) {
            throw new Failure(
                    ExitCode.CONFIGURATION,
                    "server-redirects",
                    "the server at " + base + " redirects to " + (location == null ? "no address" : location)
                            + "; redirects are not followed, because the API key would go along",
                    "if that is the server, name it by --server or INTERLOCK_SERVER");
        }
    }

    // A refusal counts in any words. But a success that is cut off or comes from another program proves nothing.
    private Facts words(int status, String text) {
        Optional<Facts> words = Json.object(text);
        if (words.isEmpty() && status < REFUSED) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    "server-unreachable",
                    "what came from " + base + " is cut off, or no answer of an Interlock server (status " + status
                            + ")",
                    "see whether --server or INTERLOCK_SERVER names the server itself, and what stands before it");
        }
        return words.orElse(Facts.none());
    }

    private static String query(String... words) {
        StringBuilder query = new StringBuilder();
        for (int i = 0; i < words.length; i += 2) {
            if (!words[i + 1].isEmpty()) {
                query.append(query.isEmpty() ? '?' : '&')
                        .append(words[i])
                        .append('=')
                        .append(URLEncoder.encode(words[i + 1], StandardCharsets.UTF_8));
            }
        }
        return query.toString();
    }

    /** Ends a request that waits at a server. Safe for use by many threads. */
    public static final class RequestAbort {

        private @Nullable HttpURLConnection connection;
        private boolean over;

        /**
         * This connection, which is open, is the one to end.
         *
         * @throws IOException if it is too late for another request
         */
        synchronized void reaches(HttpURLConnection connection) throws IOException {
            if (over) {
                connection.disconnect();
                throw new IOException("hung up");
            }
            this.connection = connection;
        }

        /** Ends the request under way, and every later one, with a failure. */
        public synchronized void now() {
            over = true;
            if (connection != null) {
                connection.disconnect();
            }
        }
    }

    /**
     * Makes connections that believe the authorities in {@code file} and no others.
     *
     * @throws Failure if it cannot be read, or holds no certificate
     */
    private static SSLSocketFactory trusted(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (found.isEmpty()) {
                throw unusable(file, "it holds no certificate");
            }
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate each : found) {
                store.setCertificateEntry("authority-" + number++, each);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (IOException | GeneralSecurityException unreadable) {
            throw unusable(file, String.valueOf(unreadable.getMessage()));
        }
    }

    private static Failure unusable(Path file, String why) {
        return new Failure(
                ExitCode.CONFIGURATION,
                "--cacert " + file + " cannot be used: " + why,
                "name a PEM file with the certificate of the authority that signed the server's");
    }

    /** The failure a problem is. */
    private static Failure failure(ServerClient.Answer answer) {
        int status = answer.status();
        Facts problem = answer.body();
        String cause = mistakes(problem)
                .or(() -> problem.text("explanation"))
                .or(() -> problem.text("detail"))
                .or(() -> problem.text("title"))
                .orElse("the server answered with " + status);
        String code = problem.text("code").orElseGet(() -> ExitCode.word(exitCodeOf(status)));
        return new Failure(exitCode(status, code), code, oneLine(cause), nextStep(answer, code));
    }

    /** Each mistake with its field, without its place in the request, which a user does not know. */
    private static Optional<String> mistakes(Facts problem) {
        return problem.list("errors").stream()
                .map(each -> {
                    String place = each.shown("pointer").replaceFirst("^(query)?/", "");
                    return (place.isEmpty() ? "" : place + ": ") + each.shown("detail");
                })
                .reduce((one, other) -> one + "; " + other);
    }

    private static int exitCode(int status, String code) {
        int known = ExitCode.of(code);
        return known == ExitCode.FAILED ? exitCodeOf(status) : known;
    }

    private static int exitCodeOf(int status) {
        return switch (status) {
            case 400, 413, 422 -> ExitCode.USAGE;
            case 401, 403 -> ExitCode.DENIED;
            case 404 -> ExitCode.UNKNOWN;
            case 409, 429 -> ExitCode.BUSY;
            case 410 -> ExitCode.LEASE_LOST;
            case 412 -> ExitCode.STALE;
            case 502, 503, 504 -> ExitCode.UNAVAILABLE;
            default -> status < 500 ? ExitCode.FAILED : ExitCode.INTERNAL;
        };
    }

    private static String nextStep(ServerClient.Answer answer, String code) {
        int status = answer.status();
        return switch (status) {
            case 401 -> "set INTERLOCK_API_KEY, or name the file that holds the key with --api-key-file";
            case 403 -> "use a key with a higher role; interlock keys ls --store … shows them";
            case 404 -> "interlock " + noun(code, answer.path()) + " ls shows those there are";
            case 409 ->
                code.equals("run-finished")
                        ? "there is nothing to do"
                        : "interlock locks ls shows who is in the way; or submit with --on-conflict queue";
            case 410 -> "stop the work, and acquire anew";
            case 412 -> "look again, then repeat it with what you see";
            case 429, 503 -> "try again later";
            default -> status < 500 ? "--help shows how it is written" : "the server's log knows more";
        };
    }

    private static String noun(String code, String path) {
        return code.equals("unknown-job")
                ? "jobs"
                : path.startsWith("/keys") ? "keys" : path.startsWith("/locks") ? "locks" : "runs";
    }

    private static String oneLine(String text) {
        return text.lines().reduce((one, other) -> one + " " + other).orElse("");
    }
}
