package io.interlock.sqs;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * An HTTP client whose requests can be broken off: a long poll would otherwise hold up the end of its process for as long as it
 * lasts. Safe for use by many threads.
 */
final class AbortableHttp implements SdkHttpClient {

    private final SdkHttpClient http;
    private final Set<ExecutableHttpRequest> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean aborted;

    AbortableHttp(SdkHttpClient http) {
        this.http = http;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        ExecutableHttpRequest prepared = http.prepareRequest(request);
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                underWay.add(prepared);
                try {
                    if (aborted) {
                        throw new IOException("broken off");
                    }
                    return prepared.call();
                } finally {
                    underWay.remove(prepared);
                }
            }

            @Override
            public void abort() {
                prepared.abort();
            }
        };
    }

    /** Breaks off what is under way, and everything from now on. */
    void abort() {
        aborted = true;
        underWay.forEach(ExecutableHttpRequest::abort);
    }

    @Override
    public String clientName() {
        return http.clientName();
    }

    @Override
    public void close() {
        http.close();
    }
}
