package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Contender;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.measure.Rounds;
import io.interlock.benchmark.measure.Throughput;
import io.interlock.benchmark.peer.LockPeer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Ways to lock, each opened for as long as the contest lasts, that do the same thing in turn. */
final class LockContest implements AutoCloseable {

    private final LockUse use;
    private final int threads;
    private final Map<String, LockPeer> peers = new LinkedHashMap<>();

    LockContest(LockUse use, int threads) {
        this.use = use;
        this.threads = threads;
    }

    /** Lets a peer take part. It is closed with the contest. */
    void add(String name, LockPeer peer) throws Exception {
        peers.put(name, peer);
        use.prepare(peer, threads);
    }

    /** Measures all, and {@code twice} a second time in each round. */
    void run(Comparison comparison, Pace pace, Meter meter, String twice) throws Exception {
        List<Contender> contenders = new ArrayList<>();
        peers.forEach((name, peer) -> contenders.add(
                new Contender(name, slice -> Throughput.measure(threads, slice, meter, use.step(peer, threads)))));
        contenders.stream()
                .filter(contender -> contender.name().equals(twice))
                .toList()
                .forEach(contender -> contenders.add(contender.again()));
        Rounds.warmAndRun(comparison, pace.sliced(), contenders);
    }

    @Override
    public void close() throws Exception {
        for (LockPeer peer : peers.values()) {
            peer.close();
        }
    }
}
