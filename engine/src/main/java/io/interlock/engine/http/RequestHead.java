package io.interlock.engine.http;

import io.interlock.InvalidSettingException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The first part of a request. */
final class RequestHead {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
    private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e\\t]*");
    private static final Set<String> HTTPS_OWN =
            Set.of("host", "content-length", "transfer-encoding", "connection", "expect", "upgrade", "te", "trailer");

    /** What is sent unless set otherwise. */
    private static final Map<String, String> USUAL =
            Map.of("Content-Type", "application/json", "Accept", "application/json", "User-Agent", "interlock");

    private RequestHead() {}

    static byte[] of(URI url, Map<String, String> headers, int length) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(USUAL);
        all.putAll(headers);
        StringBuilder head = new StringBuilder("POST ")
                .append(target(url))
                .append(" HTTP/1.1\r\nHost: ")
                .append(url.getHost())
                .append(url.getPort() < 0 ? "" : ":" + url.getPort())
                .append("\r\nConnection: close\r\nContent-Length: ")
                .append(length)
                .append("\r\n");
        all.forEach((name, value) -> {
            requireHeader(name, value);
            head.append(name).append(": ").append(value).append("\r\n");
        });
        return head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Refuses a header that could break out of its line, or that says how the request is sent. */
    static void requireHeader(String name, String value) {
        if (!NAME.matcher(name).matches() || HTTPS_OWN.contains(name.toLowerCase(Locale.ROOT))) {
            throw new InvalidSettingException(
                    "header",
                    name,
                    "is no name, or one that belongs to HTTP itself",
                    "choose another, or leave it out");
        }
        if (!VALUE.matcher(value).matches()) {
            // The value may be a secret, so it is not named.
            throw new InvalidSettingException(
                    "header", name, "has other characters in its value than visible ASCII", "encode them");
        }
    }

    private static String target(URI url) {
        String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        String target = url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
        // A URI may hold letters that are not ASCII; a request may not.
        return URI.create(target).toASCIIString();
    }
}
