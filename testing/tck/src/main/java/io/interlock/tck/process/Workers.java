package io.interlock.tck.process;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The worker processes of one test. Those that outlive it serve the next tests of this process, because each takes a second of CPU to start.
 * Between tests none is a client of a store, and none brings anything from one test to another. They end with this process. Not thread-safe.
 */
public final class Workers {

    private static final Deque<WorkerProcess> IDLE = new ArrayDeque<>();

    private final List<WorkerProcess> busy = new ArrayList<>();

    /** So many workers on the store at {@code url}, which hold nothing. */
    public List<WorkerProcess> take(String url, int count) throws IOException, InterruptedException {
        List<WorkerProcess> taken = new ArrayList<>();
        while (taken.size() < count) {
            WorkerProcess worker =
                    IDLE.isEmpty() ? WorkerProcess.start(url) : IDLE.pop().again(url);
            taken.add(worker);
            busy.add(worker);
        }
        for (WorkerProcess worker : taken) {
            worker.ready();
        }
        return taken;
    }

    /** The test has ended: workers that still live may be taken again. */
    public void giveBack() throws IOException, InterruptedException {
        for (WorkerProcess worker : busy) {
            if (worker.rest()) {
                IDLE.push(worker);
            } else {
                worker.close();
            }
        }
        busy.clear();
    }
}
