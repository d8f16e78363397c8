package io.interlock.server.api;

import io.interlock.access.AccessKey;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The answer to each operation: all that the routes know of the code behind them. */
public final class Operations {

    private final Map<String, Operation> byId = new TreeMap<>();
    private final List<Runnable> endings = new CopyOnWriteArrayList<>();
    private final Map<String, Operations> further = new TreeMap<>();
    private final Map<String, Signatures> signed = new TreeMap<>();
    private @Nullable Operation otherwise;

    /** Has {@code operation} answer {@code operationId}. */
    public Operations on(String operationId, Operation operation) {
        if (byId.putIfAbsent(operationId, operation) != null) {
            throw new IllegalStateException("operation " + operationId + " is answered twice");
        }
        return this;
    }

    /** Has {@code operation} answer all operations without an answer of their own. */
    public Operations otherwise(Operation operation) {
        otherwise = operation;
        return this;
    }

    /** Has callers of {@code operationId} also known by what they signed. */
    public Operations signedBy(String operationId, Signatures signatures) {
        signed.put(operationId, signatures);
        return this;
    }

    Optional<Signatures> signatures(String operationId) {
        return Optional.ofNullable(signed.get(operationId));
    }

    Operation of(String operationId) {
        Operation operation = byId.getOrDefault(operationId, otherwise);
        if (operation == null) {
            throw new IllegalStateException("operation " + operationId + " has no answer");
        }
        return operation;
    }

    /** Has a further contract served, whose document is called {@code name}, and answered by {@code answering}. */
    public Operations also(String name, Operations answering) {
        further.put(name, answering);
        return this;
    }

    /** Further contracts, by the names of their documents, and who answers them. */
    public Map<String, Operations> further() {
        return Collections.unmodifiableMap(further);
    }

    /** Has {@code ending} run when the server stops, before connections are closed, so that waiting requests are answered. */
    public Operations onStop(Runnable ending) {
        endings.add(ending);
        return this;
    }

    /** The server stops. */
    public void stop() {
        endings.forEach(Runnable::run);
    }

    Set<String> ids() {
        return new TreeSet<>(byId.keySet());
    }

    /**
     * Answers the calls of one operation of the contract. Called on the event loop, so it must not block: what takes time comes
     * back as a stage. A problem is thrown, or the stage fails with it.
     */
    @FunctionalInterface
    public interface Operation {

        /** Answers a call that keeps the contract, from a caller that may make it. */
        CompletionStage<Reply> answer(Call call);
    }

    /** Knows callers of an operation by what they signed, beside those that show an API key. */
    public interface Signatures {

        /** Whether the request claims a signature that could be known: only then its body is read. */
        boolean expects(RoutingContext context);

        /** The key of the sender; empty if the signature is unknown. */
        Optional<AccessKey> recognise(RoutingContext context, Buffer body);
    }
}
