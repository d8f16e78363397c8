package io.interlock.client;

import io.interlock.StoreUnavailableException;
import io.interlock.client.UnreachableException.Cause;
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
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to a server and returns its JSON. By {@code HttpURLConnection}, because {@code java.net.http} takes a quarter of a second
 * longer for the first request of a process. Safe for use by many threads.
 */
public final class ServerConnection implements Requests {

    private static final String API = "/api/v1";
    private static final int CONNECT_MILLIS = 5_000;
    private static final Duration READ = Duration.ofSeconds(15);
    private static final Duration SHORTEST = Duration.ofMillis(500);
    private static final int LEASE_PARTS = 6;
    private static final int NO_CONTENT = 204;
    private static final int REDIRECTED = 300;
    private static final int REFUSED = 400;

    private final String base;
    private final Map<String, String> headers;
    private final @Nullable SSLSocketFactory trusted;

    /** A client of the server at {@code url}. */
    public ServerConnection(String url, Map<String, String> headers) {
        this(url, headers, null);
    }

    private ServerConnection(String url, Map<String, String> headers, @Nullable SSLSocketFactory trusted) {
        this.base = (url.endsWith("/") ? url.substring(0, url.length() - 1) : url) + API;
        this.headers = Map.copyOf(headers);
        this.trusted = trusted;
    }

    /** This, which believes only servers whose certificates come from an authority in {@code file}, in PEM. */
    public ServerConnection trusting(Path file) {
        return new ServerConnection(toString(), headers, trusted(file));
    }

    @Override
    public String toString() {
        return base.substring(0, base.length() - API.length());
    }

    /**
     * What a server said.
     *
     * @param lapsed of a release, why the lease was over before; else {@code null}
     */
    public record Answer(
            String path, int status, Facts body, @Nullable String lapsed) {

        public boolean isGood() {
            return status < 300;
        }

        /**
         * This, if it is good.
         *
         * @throws ProblemException if it is not
         */
        public Answer good() {
            if (isGood()) {
                return this;
            }
            throw problem();
        }

        ProblemException problem() {
            return new ProblemException(path, status, body);
        }
    }

    @Override
    public Facts get(String path, String... query) {
        return send("GET", path + query(query), null).good().body();
    }

    @Override
    public Facts getWithin(Duration wait, String path, String... query) {
        return getWithin(wait, new RequestAbort(), path, query);
    }

    /** Like {@link #getWithin(Duration, String, String...)}, until it is aborted. */
    Facts getWithin(Duration wait, RequestAbort hangUp, String path, String... query) {
        Map<String, String> prefer = Map.of("Prefer", "wait=" + Math.max(1, wait.toSeconds()));
        return send(new Request("GET", path + query(query), null, prefer, READ.plus(wait)), hangUp)
                .good()
                .body();
    }

    @Override
    public Facts post(String path, @Nullable Facts body) {
        return send("POST", path, body).good().body();
    }

    @Override
    public Facts put(String path, Facts body) {
        return send("PUT", path, body).good().body();
    }

    @Override
    public void delete(String path, String... query) {
        send("DELETE", path + query(query), null).good();
    }

    /** Has something done; whatever the answer is. */
    public Answer tryPost(String path, Facts body) {
        return send("POST", path, body);
    }

    /** A heartbeat, whatever the answer is. It is given up so early that there is time for another before the lease ends. */
    public Answer heartbeat(String path, Facts body, Duration lease) {
        Duration part = lease.dividedBy(LEASE_PARTS);
        Duration limit = part.compareTo(SHORTEST) < 0 ? SHORTEST : part.compareTo(READ) > 0 ? READ : part;
        return send(new Request("POST", path, body, Map.of(), limit), new RequestAbort());
    }

    /** Like {@link #tryPost(String, Facts)}, where the server may wait, until it is aborted. */
    public Answer tryPost(String path, Facts body, Duration wait, RequestAbort hangUp) {
        return send(new Request("POST", path, body, Map.of(), READ.plus(wait)), hangUp);
    }

    /**
     * The answer to {@code question}, if it is one: what was neither refused nor done is unclear, and never a refusal.
     *
     * @throws StoreUnavailableException if it is unclear
     */
    <T> T clear(Supplier<T> question) {
        try {
            T answer = question.get();
            if (answer instanceof Answer said && ProblemException.isTransient(said.status())) {
                throw said.problem();
            }
            return answer;
        } catch (ProblemException later) {
            if (later.isTransient()) {
                throw new StoreUnavailableException(
                        toString(), "answered " + later.status() + ": " + later.getMessage(), later);
            }
            throw later;
        } catch (UnreachableException silent) {
            throw new StoreUnavailableException(toString(), "did not answer: " + silent.getMessage(), silent);
        }
    }

    private record Request(
            String method, String path, @Nullable Facts body, Map<String, String> headers, Duration limit) {}

    private Answer send(String method, String path, @Nullable Facts body) {
        return send(new Request(method, path, body, Map.of(), READ), new RequestAbort());
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
                return new Answer(
                        request.path(),
                        status,
                        status == NO_CONTENT ? Facts.none() : words(status, text),
                        connection.getHeaderField("X-Lease-Lapsed"));
            }
        } catch (NullPointerException cutOff) {
            if (!hangUp.isOver()) {
                throw cutOff;
            }
            // What HttpURLConnection throws if it is disconnected while it reads.
            throw new UnreachableException(Cause.SILENT, "the request was aborted", "");
        } catch (MalformedURLException | URISyntaxException | IllegalArgumentException | ClassCastException malformed) {
            throw new UnreachableException(
                    Cause.SETTINGS,
                    "'" + base + "' is no address of a server",
                    "write it as http://localhost:8080 or https://…, by --server on the command line");
        } catch (SSLException untrusted) {
            throw new UnreachableException(
                    Cause.UNTRUSTED,
                    "no trusted connection to the server at " + base + ": " + untrusted.getMessage(),
                    "if its certificate comes from an authority of your own, name its file, by --cacert on the command line");
        } catch (IOException unreachable) {
            throw new UnreachableException(
                    Cause.SILENT,
                    "the server at " + base + " cannot be reached: " + unreachable.getMessage(),
                    "see whether it runs, and whether --server or INTERLOCK_SERVER names it");
        }
    }

    private void requireNoRedirect(int status, @Nullable String location) {
        if (status >= REDIRECTED && status < REFUSED) {
            throw new UnreachableException(
                    Cause.REDIRECTS,
                    "the server at " + base + " redirects to " + (location == null ? "no address" : location)
                            + "; redirects are not followed, because the API key would go along",
                    "if that is the server, name it by --server or INTERLOCK_SERVER");
        }
    }

    // A refusal counts in any words. But a success that is cut off or comes from another program proves nothing.
    private Facts words(int status, String text) {
        Optional<Facts> words = Json.object(text);
        if (words.isEmpty() && status < REFUSED) {
            throw new UnreachableException(
                    Cause.SILENT,
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

        synchronized boolean isOver() {
            return over;
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
     * @throws UnreachableException if it cannot be read, or holds no certificate
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

    private static UnreachableException unusable(Path file, String why) {
        return new UnreachableException(
                Cause.SETTINGS,
                "the authorities in " + file + " (--cacert) cannot be used: " + why,
                "name a PEM file with the certificate of the authority that signed the server's");
    }
}
