package io.interlock.store.sqlite;

import io.interlock.store.sql.Database;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;

/**
 * The calls of this process that want a connection: so many at a time, urgent ones first, otherwise in the order in which they
 * came. After {@link #URGENT_IN_A_ROW} urgent ones a call that is not urgent has its turn, so that none waits for ever. Safe for
 * use by many threads.
 */
final class CallQueue {

    static final int URGENT_IN_A_ROW = 32;

    private final Deque<Waiter> urgent = new ArrayDeque<>();
    private final Deque<Waiter> steps = new ArrayDeque<>();
    private int free;
    private int urgentInARow;

    CallQueue(int places) {
        free = places;
    }

    private static final class Waiter {

        private final Thread thread = Thread.currentThread();
        private volatile boolean called;
    }

    /**
     * Waits for the turn of the calling thread, which {@link #leave leaves} when its call is over.
     *
     * @throws io.interlock.StoreUnavailableException if the turn did not come in time
     */
    void enter(Database.Lane lane, WaitDeadline patience) {
        Waiter waiter;
        Deque<Waiter> queue = lane == Database.Lane.URGENT ? urgent : steps;
        synchronized (this) {
            if (free > 0) {
                free--;
                return;
            }
            waiter = new Waiter();
            queue.add(waiter);
        }
        boolean interrupted = false;
        try {
            while (!waiter.called) {
                long left = patience.leftNanos();
                if (left <= 0 && isLate(queue, waiter)) {
                    throw patience.tooLate();
                }
                LockSupport.parkNanos(this, left);
                interrupted |= Thread.interrupted();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    synchronized void leave() {
        boolean urgentNext = steps.isEmpty() || (!urgent.isEmpty() && urgentInARow < URGENT_IN_A_ROW);
        Waiter next = urgentNext ? urgent.poll() : steps.poll();
        urgentInARow = urgentNext && !steps.isEmpty() ? urgentInARow + 1 : 0;
        if (next == null) {
            free++;
        } else {
            next.called = true;
            LockSupport.unpark(next.thread);
        }
    }

    // It may have been called at the last moment.
    private synchronized boolean isLate(Deque<Waiter> queue, Waiter waiter) {
        return !waiter.called && queue.remove(waiter);
    }
}
