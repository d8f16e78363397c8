package io.interlock.engine.http;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The request of a job.
 *
 * @param headers what is sent besides, such as {@code Authorization}
 * @param timeout how long an answer may take, everything included; work that takes longer answers 202 and calls back
 * @param signer signs the request, or {@code null}
 * @param callback where the other side says how its work ended after it answered 202, with {@code {runId}} where the run's id
 *     goes, or {@code null} if it may not answer 202
 */
public record HttpSpec(
        URI url,
        Map<String, String> headers,
        Duration timeout,
        @Nullable WebhookSigner signer,
        @Nullable String callback) {

    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    public static final Duration LONGEST_TIMEOUT = Duration.ofHours(24);

    public HttpSpec {
        headers = Map.copyOf(headers);
        headers.forEach((name, value) -> {
            HttpExchange.requireHeader(name, value);
            String small = name.toLowerCase(Locale.ROOT);
            if (small.startsWith("interlock-")
                    || small.startsWith("webhook-")
                    || Set.of("traceparent", "content-type").contains(small)) {
                throw new InvalidSettingException("header", name, "is set by Interlock", "leave it out");
            }
        });
        if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
            throw new InvalidSettingException(
                    "timeout",
                    DurationText.format(timeout),
                    "must be above 0s and at most " + DurationText.format(LONGEST_TIMEOUT),
                    "answer 202 and call back if the work takes longer");
        }
    }

    public static HttpSpec of(URI url) {
        return new HttpSpec(url, Map.of(), DEFAULT_TIMEOUT, null, null);
    }

    public HttpSpec headers(Map<String, String> headers) {
        return new HttpSpec(url, headers, timeout, signer, callback);
    }

    public HttpSpec timeout(Duration timeout) {
        return new HttpSpec(url, headers, timeout, signer, callback);
    }

    public HttpSpec signer(WebhookSigner signer) {
        return new HttpSpec(url, headers, timeout, signer, callback);
    }

    public HttpSpec callback(String callback) {
        return new HttpSpec(url, headers, timeout, signer, callback);
    }

    /** Shows no header and no query: either may be a secret. */
    @Override
    public String toString() {
        return "HttpSpec[" + HttpRules.shown(url) + "]";
    }
}
