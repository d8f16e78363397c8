package io.interlock.server.api;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Who answers which operation. This is the seam: the routes know nothing else of what stands behind them. */
public final class Operations {

    private final Map<String, Operation> byId = new TreeMap<>();

    Operations on(String operationId, Operation operation) {
        if (byId.putIfAbsent(operationId, operation) != null) {
            throw new IllegalStateException("operation " + operationId + " is answered twice");
        }
        return this;
    }

    /** The one who answers {@code operationId}. */
    Operation of(String operationId) {
        Operation operation = byId.get(operationId);
        if (operation == null) {
            throw new IllegalStateException("nobody answers operation " + operationId);
        }
        return operation;
    }

    Set<String> ids() {
        return new TreeSet<>(byId.keySet());
    }
}
