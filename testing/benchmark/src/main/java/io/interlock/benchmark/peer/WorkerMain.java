package io.interlock.benchmark.peer;

import io.interlock.benchmark.server.PostgresAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A process that does runs: {@link WorkerProcess} is its other end. It is told {@code open SLOTS each|count} and {@code close},
 * says {@code opened} and {@code closed}, and meanwhile either each run with the time of its start, or how many it has done.
 */
final class WorkerMain {

    private static final long COUNT_EVERY_MILLIS = 10;

    private final RunPeer peer;
    private final PostgresAddress address;
    private final AtomicLong done = new AtomicLong();
    private @Nullable AutoCloseable worker;

    private WorkerMain(RunPeer peer, PostgresAddress address) {
        this.peer = peer;
        this.address = address;
    }

    /** Arguments: the peer, the port and the database. Ends with its input. */
    public static void main(String[] arguments) throws Exception {
        RunPeer peer = RunPeers.valueOf(arguments[0]).peer();
        WorkerMain main = new WorkerMain(peer, new PostgresAddress(Integer.parseInt(arguments[1]), arguments[2]));
        Thread counting = new Thread(main::count, "count");
        counting.setDaemon(true);
        counting.start();
        main.obey();
        // Threads of peers that are no daemons must not keep the process.
        System.exit(0);
    }

    private void obey() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("open")) {
                open(Integer.parseInt(words[1]), words[2].equals("each"));
                say("opened");
            } else {
                close();
                say("closed");
            }
        }
        close();
    }

    private void open(int slots, boolean each) throws Exception {
        worker = peer.worker(address, slots, name -> {
            long now = System.nanoTime();
            if (each) {
                say("started " + now + " " + name);
            }
            done.incrementAndGet();
        });
    }

    private void close() throws Exception {
        if (worker != null) {
            worker.close();
            worker = null;
        }
    }

    private void count() {
        long said = 0;
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(COUNT_EVERY_MILLIS);
                long now = done.get();
                if (now != said) {
                    said = now;
                    say("done " + now);
                }
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private static void say(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (System.out) {
            try {
                System.out.write(bytes);
                System.out.flush();
            } catch (IOException gone) {
                Runtime.getRuntime().halt(1);
            }
        }
    }
}
