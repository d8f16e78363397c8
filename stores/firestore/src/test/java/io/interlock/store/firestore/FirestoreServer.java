package io.interlock.store.firestore;

import static java.util.Objects.requireNonNull;

import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.Precondition;
import com.google.firestore.v1.RollbackRequest;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.StructuredQuery.FieldFilter;
import com.google.firestore.v1.StructuredQuery.Filter;
import com.google.firestore.v1.TransactionOptions.ConcurrencyMode;
import com.google.firestore.v1.Write;
import com.google.firestore.v1.WriteResult;
import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server that answers the calls of the store as Firestore's documentation describes them: reads of many documents with
 * their read times, queries by name, commits with preconditions, and transactions with optimistic concurrency. What the
 * store does not use is refused. Each commit has a later time than every read and commit before it. It keeps its documents
 * when it is stopped, as if they were on disk.
 *
 * <p>Thread-safe.
 */
public final class FirestoreServer implements AutoCloseable {

    private static final String SERVICE = "google.firestore.v1.Firestore";
    private static final String DATABASE = "projects/test/databases/(default)";
    private static final Metadata.Key<String> LOGIN =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final int LONGEST_ID = 1500;
    private static final Comparator<String> BY_BYTES = (one, other) -> Arrays.compareUnsigned(utf8(one), utf8(other));

    private final TreeMap<String, Document> documents = new TreeMap<>(BY_BYTES);
    private final Map<ByteString, Map<String, Timestamp>> transactions = new HashMap<>();
    private final Map<String, List<Instant>> writes = new HashMap<>();
    private Duration ahead = Duration.ZERO;
    private Duration readsLag = Duration.ZERO;
    private Instant last = Instant.EPOCH;
    private long commits;
    private long begun;
    private int port;
    private @Nullable Server server;
    private Runnable beforeCommit = () -> {};

    /** Starts a server without documents. */
    public static FirestoreServer start() {
        FirestoreServer server = new FirestoreServer();
        server.resume();
        return server;
    }

    /** The URL of the store in it. The first call of a process loads the client, which takes seconds on a busy machine. */
    public String url() {
        return "firestore://test?timeout=15s&emulator=127.0.0.1:" + port;
    }

    /** Listens again, on the same port. */
    void resume() {
        try {
            server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                    .addService(calls())
                    .intercept(new Login())
                    .build()
                    .start();
            port = server.getPort();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Ends all connections, without answers. */
    void stop() {
        Server running = server;
        if (running != null) {
            running.shutdownNow();
            try {
                running.awaitTermination();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
        synchronized (this) {
            transactions.clear();
        }
    }

    synchronized void deleteAll() {
        documents.clear();
    }

    synchronized void advance(Duration time) {
        ahead = ahead.plus(time);
    }

    /** Lets the times of reads lag behind, as a database may that is asked for nothing newer than its last commit. */
    synchronized void lag(Duration time) {
        readsLag = time;
    }

    /** Calls {@code step} once, before the next commit. */
    synchronized void beforeCommit(Runnable step) {
        beforeCommit = step;
    }

    synchronized long commits() {
        return commits;
    }

    /** When a document was written, by the server's clock. */
    synchronized List<Instant> writesOf(String name) {
        return List.copyOf(writes.getOrDefault(name, List.of()));
    }

    synchronized Document document(String name) {
        return requireNonNull(documents.get(name), name);
    }

    @Override
    public void close() {
        stop();
    }

    private synchronized Instant tick() {
        Instant now = Instant.now().plus(ahead).truncatedTo(ChronoUnit.MICROS);
        last = now.isAfter(last) ? now : last.plus(1, ChronoUnit.MICROS);
        return last;
    }

    private synchronized Timestamp readTime() {
        return timestamp(tick().minus(readsLag));
    }

    private synchronized List<BatchGetDocumentsResponse> get(BatchGetDocumentsRequest request) {
        requireDatabase(request.getDatabase());
        List<BatchGetDocumentsResponse> answers = new ArrayList<>();
        Timestamp now = readTime();
        Map<String, Timestamp> seen = new HashMap<>();
        for (String name : request.getDocumentsList()) {
            requireName(name);
            Document found = documents.get(name);
            seen.put(name, found == null ? Timestamp.getDefaultInstance() : found.getUpdateTime());
            BatchGetDocumentsResponse.Builder answer =
                    BatchGetDocumentsResponse.newBuilder().setReadTime(now);
            answers.add((found == null ? answer.setMissing(name) : answer.setFound(masked(found, request))).build());
        }
        if (request.hasNewTransaction()) {
            if (request.getNewTransaction().getReadWrite().getConcurrencyMode() != ConcurrencyMode.OPTIMISTIC) {
                throw Status.UNIMPLEMENTED
                        .withDescription("only optimistic transactions are here")
                        .asRuntimeException();
            }
            ByteString id = ByteString.copyFromUtf8("transaction " + ++begun);
            transactions.put(id, seen);
            answers.add(
                    0, BatchGetDocumentsResponse.newBuilder().setTransaction(id).build());
        }
        return answers;
    }

    private static Document masked(Document found, BatchGetDocumentsRequest request) {
        if (!request.hasMask()) {
            return found;
        }
        Document.Builder part = found.toBuilder().clearFields();
        request.getMask().getFieldPathsList().stream()
                .filter(found::containsFields)
                .forEach(path -> part.putFields(path, found.getFieldsOrThrow(path)));
        return part.build();
    }

    private CommitResponse commit(CommitRequest request) {
        Runnable first;
        synchronized (this) {
            first = beforeCommit;
            beforeCommit = () -> {};
        }
        first.run();
        return apply(request);
    }

    private synchronized CommitResponse apply(CommitRequest request) {
        requireDatabase(request.getDatabase());
        if (!request.getTransaction().isEmpty()) {
            requireUnchanged(transactions.remove(request.getTransaction()));
        }
        request.getWritesList().forEach(this::requireMet);
        Timestamp now = timestamp(tick());
        CommitResponse.Builder response = CommitResponse.newBuilder().setCommitTime(now);
        request.getWritesList().forEach(write -> response.addWriteResults(apply(write, now)));
        commits++;
        return response.build();
    }

    private void requireUnchanged(@Nullable Map<String, Timestamp> seen) {
        if (seen == null) {
            throw Status.INVALID_ARGUMENT
                    .withDescription("The referenced transaction has expired or is no longer valid.")
                    .asRuntimeException();
        }
        seen.forEach((name, version) -> {
            Document current = documents.get(name);
            if (!version.equals(current == null ? Timestamp.getDefaultInstance() : current.getUpdateTime())) {
                throw Status.ABORTED
                        .withDescription("Too much contention on these documents. Please try again.")
                        .asRuntimeException();
            }
        });
    }

    private void requireMet(Write write) {
        String name = write.hasUpdate() ? write.getUpdate().getName() : write.getDelete();
        requireName(name);
        if (write.hasTransform() || write.hasUpdateMask() || write.getUpdateTransformsCount() > 0) {
            throw Status.UNIMPLEMENTED
                    .withDescription("only whole documents are written here")
                    .asRuntimeException();
        }
        Document current = documents.get(name);
        Precondition precondition = write.getCurrentDocument();
        switch (precondition.getConditionTypeCase()) {
            case EXISTS -> {
                if (precondition.getExists() && current == null) {
                    throw Status.NOT_FOUND
                            .withDescription("No document to update: " + name)
                            .asRuntimeException();
                }
                if (!precondition.getExists() && current != null) {
                    throw Status.ALREADY_EXISTS
                            .withDescription("Document already exists: " + name)
                            .asRuntimeException();
                }
            }
            case UPDATE_TIME -> {
                if (current == null || !current.getUpdateTime().equals(precondition.getUpdateTime())) {
                    throw Status.FAILED_PRECONDITION
                            .withDescription("the stored version does not match the required base version")
                            .asRuntimeException();
                }
            }
            default -> {}
        }
    }

    private WriteResult apply(Write write, Timestamp now) {
        if (write.getOperationCase() == Write.OperationCase.DELETE) {
            documents.remove(write.getDelete());
            return WriteResult.getDefaultInstance();
        }
        String name = write.getUpdate().getName();
        Document current = documents.get(name);
        if (current != null && current.getFieldsMap().equals(write.getUpdate().getFieldsMap())) {
            // As documented: a write that changes nothing leaves the update time.
            return WriteResult.newBuilder()
                    .setUpdateTime(current.getUpdateTime())
                    .build();
        }
        documents.put(
                name,
                write.getUpdate().toBuilder()
                        .setCreateTime(current == null ? now : current.getCreateTime())
                        .setUpdateTime(now)
                        .build());
        writes.computeIfAbsent(name, first -> new ArrayList<>())
                .add(Instant.ofEpochSecond(now.getSeconds(), now.getNanos()));
        return WriteResult.newBuilder().setUpdateTime(now).build();
    }

    private synchronized List<RunQueryResponse> query(RunQueryRequest request) {
        String collection = request.getParent() + "/"
                + request.getStructuredQuery().getFrom(0).getCollectionId() + "/";
        Timestamp now = readTime();
        List<RunQueryResponse> answers = new ArrayList<>(documents.values().stream()
                .filter(document -> document.getName().startsWith(collection))
                .filter(document ->
                        matches(document, request.getStructuredQuery().getWhere()))
                .limit(request.getStructuredQuery().getLimit().getValue())
                .map(document -> RunQueryResponse.newBuilder()
                        .setDocument(document)
                        .setReadTime(now)
                        .build())
                .toList());
        if (answers.isEmpty()) {
            answers.add(RunQueryResponse.newBuilder().setReadTime(now).build());
        }
        return answers;
    }

    private static boolean matches(Document document, Filter filter) {
        if (filter.hasCompositeFilter()) {
            return filter.getCompositeFilter().getFiltersList().stream().allMatch(part -> matches(document, part));
        }
        FieldFilter field = filter.getFieldFilter();
        if (!field.getField().getFieldPath().equals("__name__")) {
            throw Status.UNIMPLEMENTED
                    .withDescription("only names are compared here")
                    .asRuntimeException();
        }
        int order = BY_BYTES.compare(document.getName(), field.getValue().getReferenceValue());
        return switch (field.getOp()) {
            case GREATER_THAN -> order > 0;
            case GREATER_THAN_OR_EQUAL -> order >= 0;
            case LESS_THAN -> order < 0;
            default ->
                throw Status.UNIMPLEMENTED
                        .withDescription(field.getOp() + " is not here")
                        .asRuntimeException();
        };
    }

    private static void requireDatabase(String name) {
        if (!name.equals(DATABASE)) {
            throw Status.NOT_FOUND
                    .withDescription("The database " + name + " does not exist")
                    .asRuntimeException();
        }
    }

    private static void requireName(String name) {
        String[] path = name.split("/", -1);
        String id = path[path.length - 1];
        if (path.length != 7
                || !name.startsWith(DATABASE + "/documents/")
                || utf8(id).length > LONGEST_ID
                || id.matches("\\.{0,2}|__.*__")) {
            throw Status.INVALID_ARGUMENT
                    .withDescription("Document name \"" + name + "\" is invalid")
                    .asRuntimeException();
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Timestamp timestamp(Instant time) {
        return Timestamp.newBuilder()
                .setSeconds(time.getEpochSecond())
                .setNanos(time.getNano())
                .build();
    }

    private ServerServiceDefinition calls() {
        return ServerServiceDefinition.builder(SERVICE)
                .addMethod(
                        method(
                                "BatchGetDocuments",
                                MethodType.SERVER_STREAMING,
                                BatchGetDocumentsRequest.getDefaultInstance(),
                                BatchGetDocumentsResponse.getDefaultInstance()),
                        ServerCalls.asyncServerStreamingCall((request, answers) -> answer(answers, () -> get(request))))
                .addMethod(
                        method(
                                "RunQuery",
                                MethodType.SERVER_STREAMING,
                                RunQueryRequest.getDefaultInstance(),
                                RunQueryResponse.getDefaultInstance()),
                        ServerCalls.asyncServerStreamingCall(
                                (request, answers) -> answer(answers, () -> query(request))))
                .addMethod(
                        method(
                                "Commit",
                                MethodType.UNARY,
                                CommitRequest.getDefaultInstance(),
                                CommitResponse.getDefaultInstance()),
                        ServerCalls.asyncUnaryCall(
                                (request, answers) -> answer(answers, () -> List.of(commit(request)))))
                .addMethod(
                        method(
                                "Rollback",
                                MethodType.UNARY,
                                RollbackRequest.getDefaultInstance(),
                                Empty.getDefaultInstance()),
                        ServerCalls.asyncUnaryCall(
                                (request, answers) -> answer(answers, () -> List.of(rollback(request)))))
                .build();
    }

    private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
            String name, MethodType type, Q request, A answer) {
        return MethodDescriptor.<Q, A>newBuilder(ProtoUtils.marshaller(request), ProtoUtils.marshaller(answer))
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setType(type)
                .build();
    }

    private static <A> void answer(StreamObserver<A> answers, Supplier<List<A>> call) {
        try {
            call.get().forEach(answers::onNext);
            answers.onCompleted();
        } catch (StatusRuntimeException refused) {
            answers.onError(refused);
        }
    }

    private synchronized Empty rollback(RollbackRequest request) {
        transactions.remove(request.getTransaction());
        return Empty.getDefaultInstance();
    }

    /** Refuses calls without the login of an emulator. */
    private static final class Login implements ServerInterceptor {

        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            if (!"Bearer owner".equals(headers.get(LOGIN))) {
                call.close(Status.UNAUTHENTICATED.withDescription("no login"), new Metadata());
                return new ServerCall.Listener<>() {};
            }
            return next.startCall(call, headers);
        }
    }
}
