package io.interlock.spring.boot;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.access.Role;
import io.interlock.client.InterlockClient;
import io.interlock.client.ProblemException;
import io.interlock.client.UnreachableException;
import io.interlock.service.Facts;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The client of the server in {@code interlock.server.*}. It asks the server once, so that a wrong address or API key keeps the application
 * from starting, and not its first job from running.
 */
final class ServerClient {

    private static final String URL = "interlock.server.url";
    private static final String API_KEY = "interlock.server.api-key";

    private ServerClient() {}

    /**
     * A client that the server accepts.
     *
     * @throws InvalidSettingException if the settings contradict each other, or the server does not accept them
     * @throws StoreUnavailableException if the server does not answer
     */
    static InterlockClient of(InterlockProperties properties) {
        InterlockProperties.Server server = properties.server();
        String url = server == null || server.url() == null ? "" : server.url();
        if (properties.store() != null) {
            throw new InvalidSettingException(
                    URL,
                    url,
                    "is set together with interlock.store, and locks are kept in one place",
                    "remove one of the two");
        }
        if (!isAddress(url)) {
            throw new InvalidSettingException(
                    URL, url, "is no address of a server", "write it as https://locks.example.org");
        }
        if (server == null || server.apiKey() == null || server.apiKey().isBlank()) {
            throw new InvalidSettingException(
                    API_KEY,
                    "",
                    "is not set, and " + url + " needs one",
                    "create a key with 'interlock keys create --role worker', and set it by the environment variable"
                            + " INTERLOCK_SERVER_APIKEY");
        }
        InterlockClient.Builder builder = InterlockClient.builder(url)
                .apiKey(server.apiKey())
                .tenant(properties.tenant())
                .drainTime(properties.shutdownTimeout());
        try {
            InterlockClient client =
                    (server.certificates() == null ? builder : builder.trusting(server.certificates())).build();
            check(client.connection().get("/session"));
            return client;
        } catch (UnreachableException | ProblemException failure) {
            throw explained(url, properties.tenant(), failure);
        }
    }

    private static void check(Facts session) {
        Role role = Role.valueOf(session.shown("role").toUpperCase(Locale.ROOT));
        if (!role.includes(Role.WORKER)) {
            throw new InvalidSettingException(
                    API_KEY,
                    session.shown("label"),
                    "has the role " + session.shown("role") + ", which may take no locks",
                    "create a key with 'interlock keys create --role worker'");
        }
    }

    private static InterlockException explained(String url, String tenant, InterlockException failure) {
        if (failure instanceof ProblemException problem && !problem.isTransient()) {
            return switch (problem.status()) {
                case 401 ->
                    new InvalidSettingException(
                            API_KEY,
                            "…",
                            "is unknown to the server at " + url + ", was revoked or has expired",
                            "create a key with 'interlock keys create --role worker'");
                case 403 ->
                    new InvalidSettingException(
                            "interlock.tenant",
                            tenant,
                            "is not the tenant of interlock.server.api-key",
                            "remove interlock.tenant: the API key decides the tenant");
                default ->
                    new InvalidSettingException(
                            URL, url, "answered with " + problem.status() + ": " + problem.getMessage(), next(null));
            };
        }
        if (failure instanceof UnreachableException silent && silent.reason() != UnreachableException.Cause.SILENT) {
            boolean untrusted = silent.reason() == UnreachableException.Cause.UNTRUSTED;
            return new InvalidSettingException(
                    URL,
                    url,
                    "cannot be used: " + silent.getMessage(),
                    next(untrusted ? "set interlock.server.certificates to the PEM file of its authority" : null));
        }
        return new StoreUnavailableException(url, "did not answer: " + failure.getMessage(), failure);
    }

    private static String next(@Nullable String other) {
        return other != null ? other : "see whether it is the address of the server itself";
    }

    private static boolean isAddress(String url) {
        try {
            URI uri = URI.create(url);
            return uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()));
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }
}
