package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Throughput.Step;
import io.interlock.benchmark.peer.LockPeer;
import java.util.List;
import java.util.stream.IntStream;

/** What threads do with a lock, again and again. */
enum LockUse {

    /** Each thread takes and gives back free keys of its own. */
    ACQUIRE_RELEASE {
        @Override
        void prepare(LockPeer peer, int threads) {}

        @Override
        Step step(LockPeer peer, int threads) {
            int[] rounds = new int[threads];
            return thread -> peer.take("key/" + thread + "/" + rounds[thread]++ % KEYS_PER_THREAD)
                    .release();
        }
    },

    /** Each thread asks for a key of its own that another client holds. */
    REFUSAL {
        @Override
        void prepare(LockPeer peer, int threads) throws Exception {
            peer.holdElsewhere(
                    IntStream.range(0, threads).mapToObj(LockUse::heldKey).toList());
        }

        @Override
        Step step(LockPeer peer, int threads) {
            return thread -> requireRefusal(peer, heldKey(thread));
        }
    },

    /** All threads ask for the same key, which another client holds. */
    REFUSAL_OF_ONE_KEY {
        @Override
        void prepare(LockPeer peer, int threads) throws Exception {
            peer.holdElsewhere(List.of(heldKey(0)));
        }

        @Override
        Step step(LockPeer peer, int threads) {
            return thread -> requireRefusal(peer, heldKey(0));
        }
    };

    private static final int KEYS_PER_THREAD = 10;

    /** Makes a peer ready. */
    abstract void prepare(LockPeer peer, int threads) throws Exception;

    /** What a thread repeats. */
    abstract Step step(LockPeer peer, int threads);

    private static String heldKey(int thread) {
        return "held/" + thread;
    }

    private static void requireRefusal(LockPeer peer, String key) throws Exception {
        if (!peer.isRefused(key)) {
            throw new IllegalStateException(key + " was granted though another client holds it");
        }
    }
}
