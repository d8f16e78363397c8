package io.interlock.locks.internal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Who is inside: calls under way and leases not closed yet. Once it closes, nobody new comes in. */
final class LifecycleGate {

    private final Set<HeldLease> leases = new HashSet<>();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private int asking;
    private boolean closing;
    private boolean shut;

    /** Lets a call in. */
    synchronized void enter() {
        if (closing) {
            throw closed();
        }
        asking++;
    }

    void leave() {
        boolean last;
        synchronized (this) {
            asking--;
            last = isLast();
        }
        if (last) {
            empty.complete(null);
        }
    }

    /** Takes in a lease whose work begins now, unless it is too late for that. */
    synchronized boolean admit(HeldLease lease) {
        return !shut && leases.add(lease);
    }

    void dismiss(HeldLease lease) {
        boolean last;
        synchronized (this) {
            leases.remove(lease);
            last = isLast();
        }
        if (last) {
            empty.complete(null);
        }
    }

    /** Closes, and says whether it was open. */
    boolean close() {
        boolean last;
        synchronized (this) {
            if (closing) {
                return false;
            }
            closing = true;
            last = isLast();
        }
        if (last) {
            empty.complete(null);
        }
        return true;
    }

    synchronized boolean isClosed() {
        return closing;
    }

    /** Done when it is closed and everybody has left. */
    CompletableFuture<Void> empty() {
        return empty;
    }

    /** Takes in no lease any more, also of calls still under way, and says which are inside. */
    synchronized List<HeldLease> shut() {
        shut = true;
        return new ArrayList<>(leases);
    }

    static IllegalStateException closed() {
        return new IllegalStateException("these locks are closed; nothing is granted any more");
    }

    private boolean isLast() {
        return closing && asking == 0 && leases.isEmpty();
    }
}
