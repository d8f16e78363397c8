package io.interlock.store.memory;

import io.interlock.locks.ForwardingLocks;
import io.interlock.locks.Locks;

/** Correct locks, for subclasses with one mistake. */
abstract class WrongLocks extends ForwardingLocks {

    final Locks right;

    WrongLocks(Locks right) {
        super(right);
        this.right = right;
    }
}
