package io.interlock.store.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.gax.core.CredentialsProvider;
import com.google.api.gax.core.FixedCredentialsProvider;
import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.FixedHeaderProvider;
import com.google.api.gax.rpc.ServerStreamingCallSettings;
import com.google.api.gax.rpc.StatusCode;
import com.google.api.gax.rpc.UnaryCallSettings;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.cloud.firestore.v1.FirestoreClient;
import com.google.cloud.firestore.v1.FirestoreSettings;
import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.RollbackRequest;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.time.CallDeadline;
import io.interlock.time.Environment;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The calls of a database, each made once, and what their errors mean.
 *
 * <p>Thread-safe.
 */
final class FirestoreCalls implements AutoCloseable {

    /** How a commit says that the documents are not as they were. */
    private static final Set<StatusCode.Code> CHANGED = Set.of(
            StatusCode.Code.ABORTED,
            StatusCode.Code.ALREADY_EXISTS,
            StatusCode.Code.FAILED_PRECONDITION,
            StatusCode.Code.NOT_FOUND);

    private final FirestorePlace place;
    private final Environment environment;
    private final FirestoreClient client;
    private volatile boolean closed;

    FirestoreCalls(FirestorePlace place, Environment environment) {
        this.place = place;
        this.environment = environment;
        try {
            client = FirestoreClient.create(settings());
        } catch (IOException unusable) {
            throw new InvalidSettingException(
                    "store",
                    place.displayName(),
                    "has no usable credentials (" + unusable.getMessage() + ")",
                    "name a file of credentials by credentials=FILE, or set GOOGLE_APPLICATION_CREDENTIALS");
        }
    }

    private FirestoreSettings settings() throws IOException {
        FirestoreSettings.Builder settings = FirestoreSettings.newBuilder().setCredentialsProvider(credentials());
        Duration timeout = place.common().timeout();
        // A commit that is made again reports its own first success as a change by another client.
        settings.applyToAllUnaryMethods(call -> {
            once(call, timeout);
            return null;
        });
        once(settings.batchGetDocumentsSettings(), timeout);
        once(settings.runQuerySettings(), timeout);
        if (place.emulator() != null) {
            settings.setEndpoint(place.emulator())
                    .setHeaderProvider(FixedHeaderProvider.create("authorization", "Bearer owner"))
                    .setTransportChannelProvider(FirestoreSettings.defaultGrpcTransportProviderBuilder()
                            .setEndpoint(place.emulator())
                            .setChannelConfigurator(channel -> channel.usePlaintext())
                            .build());
        }
        return settings.build();
    }

    private static void once(UnaryCallSettings.Builder<?, ?> call, Duration timeout) {
        call.setRetryableCodes(Set.of()).setSimpleTimeoutNoRetriesDuration(timeout);
    }

    private static void once(ServerStreamingCallSettings.Builder<?, ?> call, Duration timeout) {
        call.setRetryableCodes(Set.of()).setSimpleTimeoutNoRetriesDuration(timeout);
    }

    private CredentialsProvider credentials() throws IOException {
        Path file = place.credentials();
        if (place.emulator() != null) {
            return NoCredentialsProvider.create();
        }
        if (file == null) {
            return FirestoreSettings.defaultCredentialsProviderBuilder().build();
        }
        try (InputStream json = Files.newInputStream(file)) {
            return FixedCredentialsProvider.create(
                    GoogleCredentials.fromStream(json).createScoped(FirestoreSettings.getDefaultServiceScopes()));
        }
    }

    List<BatchGetDocumentsResponse> get(BatchGetDocumentsRequest request) {
        return clear(() -> client.batchGetDocumentsCallable().all().futureCall(request));
    }

    List<RunQueryResponse> query(RunQueryRequest request) {
        return clear(() -> client.runQueryCallable().all().futureCall(request));
    }

    /** Whether it was made; otherwise the documents had changed. */
    boolean commit(CommitRequest request) {
        try {
            await(() -> client.commitCallable().futureCall(request));
            return true;
        } catch (ApiException failure) {
            if (CHANGED.contains(failure.getStatusCode().getCode())) {
                return false;
            }
            throw meaning(failure);
        }
    }

    /** Ends a transaction that is of no use; without an answer, it ends by itself. */
    void abandon(RollbackRequest request) {
        var unused = client.rollbackCallable().futureCall(request);
    }

    private <T> T clear(Supplier<ApiFuture<T>> call) {
        try {
            return await(call);
        } catch (ApiException failure) {
            throw meaning(failure);
        }
    }

    private <T> T await(Supplier<ApiFuture<T>> call) {
        if (closed) {
            throw new StoreUnavailableException(place.displayName(), "is closed");
        }
        ApiFuture<T> answer = call.get();
        try (CallDeadline deadline =
                new CallDeadline(environment.ticker(), place.common().timeout())) {
            return deadline.await(answer);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof ApiException failure) {
                throw failure;
            }
            throw new StoreUnavailableException(
                    place.displayName(), "did not answer clearly (" + failed.getCause() + ")", failed);
        } catch (TimeoutException late) {
            answer.cancel(true);
            throw new StoreUnavailableException(
                    place.displayName(),
                    "gave no answer in " + place.common().timeout().toMillis() + " ms");
        }
    }

    private InterlockException meaning(ApiException failure) {
        String said = String.valueOf(failure.getMessage());
        return switch (failure.getStatusCode().getCode()) {
            case UNAUTHENTICATED ->
                InvalidSettingException.forbidden(
                        "store",
                        place.displayName(),
                        "refused the credentials (" + said + ")",
                        "renew or replace them");
            case PERMISSION_DENIED ->
                InvalidSettingException.forbidden(
                        "store",
                        place.displayName(),
                        "denies this user a right (" + said + ")",
                        "grant the role roles/datastore.user in project " + place.project());
            // Not INVALID_ARGUMENT: that is also the answer about a transaction that has expired, as after an outage.
            case NOT_FOUND, FAILED_PRECONDITION ->
                new InvalidSettingException(
                        "store",
                        place.displayName(),
                        "is no database in native mode (" + said + ")",
                        "create one by: gcloud firestore databases create --project=" + place.project()
                                + " --database='" + place.database() + "' --type=firestore-native");
            default ->
                new StoreUnavailableException(place.displayName(), "did not answer clearly (" + said + ")", failure);
        };
    }

    @Override
    public void close() {
        closed = true;
        client.close();
    }
}
