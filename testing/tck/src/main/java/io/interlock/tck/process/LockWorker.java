package io.interlock.tck.process;

import io.interlock.DurationText;
import io.interlock.time.Environment;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A process that executes lock commands: one command per input line, one answer per output line.
 *
 * <pre>
 * take KEY TTL        acquires from the store, no renewal      granted TOKEN ID | refused WHY
 * hold KEY TTL        acquires by the library, which renews    granted TOKEN ID | refused WHY
 * wait KEY TTL MAX    like hold, and waits up to MAX           granted TOKEN ID | refused WHY
 * state               the state of the lease in the library    held | lost CAUSE
 * renew               renews the lease in the store            renewed | lost CAUSE
 * release             releases the lease in the store          released | lapsed | gone
 * finish              releases the lease by the library        RELEASED | WAS_LOST | WAS_RELEASED
 * write FILE          adds one to a FencedCounter              written | stale
 * count KEY N FILE    N turns at a PlainCounter                counted N
 * rest N              gives back what the library holds, and
 *                     closes library and store                 rested N
 * open URL            opens a store, and the library on it     ready
 * </pre>
 *
 * <p>Failures are answered as {@code error …}. It ends with its input, without releasing anything. On a termination
 * signal it prints {@code closing}, closes the library, which waits for the work, and prints {@code closed}.
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
        // Log lines on the standard output must not mix with the answers.
        System.setOut(System.err);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        WorkerCommands hands = new WorkerCommands(args[0]);
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

    // The worker continues after any failure: the test decides what it means.
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
                case "rest" -> hands.rest(words[1]);
                case "open" -> hands.open(words[1]);
                default -> "error unknown command " + words[0];
            };
        } catch (Exception failure) {
            failure.printStackTrace();
            return "error " + failure.toString().lines().findFirst().orElse("");
        }
    }
}
