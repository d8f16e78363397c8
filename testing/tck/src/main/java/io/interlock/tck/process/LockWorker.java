package io.interlock.tck.process;

import io.interlock.DurationText;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import io.interlock.time.Environment;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A process that locks as it is told: one command per line in, one answer per line out.
 *
 * <pre>
 * take KEY TTL        asks the store once, without renewal     granted TOKEN ID | refused WHY
 * hold KEY TTL        asks the library, which then renews      granted TOKEN ID | refused WHY
 * wait KEY TTL MAX    like hold, and waits up to MAX           granted TOKEN ID | refused WHY
 * state               what the library says about the lease    held | lost CAUSE
 * renew               asks the store for more time             renewed | lost CAUSE
 * release             tells the store that the work stopped    released | lapsed | gone
 * finish              gives the lease back by the library      RELEASED | WAS_LOST | WAS_RELEASED
 * write FILE          adds one to a FencedCounter              written | stale
 * count KEY N FILE    N turns at a PlainCounter                counted N
 * </pre>
 *
 * <p>Whatever goes wrong is answered as {@code error …}. It ends when its input does, without giving anything back. Told to
 * end by a signal, it says {@code closing}, closes the library, which waits for the work, and says {@code closed}.
 */
public final class LockWorker {

    private LockWorker() {}

    /**
     * Serves until the input ends.
     *
     * @param args the store's URL
     */
    public static void main(String[] args) throws IOException {
        PrintStream answers = System.out;
        // Whatever logs to the standard output must not stand between the answers.
        System.setOut(System.err);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (LeaseStore store = Stores.open(args[0])) {
            WorkerCommands hands = new WorkerCommands(store);
            Object command = new Object();
            Runtime.getRuntime()
                    .addShutdownHook(
                            Environment.system().threads("closing").newThread(() -> close(hands, answers, command)));
            say(answers, "ready");
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                synchronized (command) {
                    say(answers, answer(hands, line.split(" ", -1)));
                }
            }
            // Threads of the library are daemons; leases are left to expire, as after any sudden end.
            Runtime.getRuntime().halt(0);
        }
    }

    private static void close(WorkerCommands hands, PrintStream answers, Object command) {
        say(answers, "closing");
        hands.close();
        // The process ends with this thread; the command that let the library close must be answered before.
        synchronized (command) {
            say(answers, "closed");
        }
    }

    private static void say(PrintStream answers, String answer) {
        answers.println(answer);
        answers.flush();
    }

    // The worker goes on after any failure: the test that gave the command decides what it means.
    private static String answer(WorkerCommands hands, String[] words) {
        try {
            return switch (words[0]) {
                case "take" -> hands.take(words[1], DurationText.parse("ttl", words[2]));
                case "hold" -> hands.hold(words[1], DurationText.parse("ttl", words[2]));
                case "wait" ->
                    hands.await(words[1], DurationText.parse("ttl", words[2]), DurationText.parse("max", words[3]));
                case "state" -> hands.state();
                case "renew" -> hands.renew();
                case "release" -> hands.release();
                case "finish" -> hands.finish();
                case "write" -> hands.write(words[1]);
                case "count" -> hands.count(words[1], Integer.parseInt(words[2]), words[3]);
                default -> "error unknown command " + words[0];
            };
        } catch (Exception failure) {
            failure.printStackTrace();
            return "error " + failure.toString().lines().findFirst().orElse("");
        }
    }
}
