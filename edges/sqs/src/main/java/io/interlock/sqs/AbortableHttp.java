package io.interlock.sqs;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * An HTTP client with abortable requests: otherwise a long poll would delay the shutdown of its process. Thread-safe.
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
                        throw new IOException("aborted");
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

    /** Aborts current and all later requests. */
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
