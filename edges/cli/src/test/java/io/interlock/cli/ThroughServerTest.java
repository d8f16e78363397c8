package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.cli.Cli.Ended;
import io.interlock.cli.Cli.Running;
import io.interlock.cli.Typed.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same commands through a real server. */
class ThroughServerTest {

    @TempDir
    static Path folder = Path.of(".");

    private static ServerProcess server = unset();

    @BeforeAll
    static void start() {
        server = ServerProcess.start(folder, "server");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void everyExitCodeIsTheSame() throws IOException {
        assertThat(typed().type("acquire", "held", "--ttl", "2m").code()).isZero();
        assertThat(typed().type("locks", "pause", "paused/*").code()).isZero();
        ExitCodes codes = new ExitCodes(folder, server.apiKey(), "--server", server.url());
        codes.areAllProduced();
        codes.elsewhere(69, "cannot be reached", "--server", "http://localhost:1");
        codes.elsewhere(78, "is no address of a server", "--server", "nonsense");
        Path wrong = Files.writeString(folder.resolve("wrong-key"), "ilk_wrong");
        codes.elsewhere(77, "[unauthenticated]", "--server", server.url(), "--api-key-file", wrong.toString());
        assertThat(typed("no-key").type("runs", "ls").code()).isEqualTo(77);
        assertThat(new Typed("INTERLOCK_SERVER", "http://localhost:1")
                        .type("runs", "ls")
                        .err())
                .contains("cannot be reached")
                .doesNotContain("[");
        Answer listed = typed().type("runs", "ls", "--no-header");
        assertThat(listed.out()).contains("EXIT_3", "EXIT_137", "TIMEOUT", "COMMAND_NOT_STARTED");
        assertThat(typed().type("runs", "ls", "--no-header", "--state", "TIMED_OUT")
                        .out())
                .as("as on a store")
                .contains("code/slow");
        assertThat(typed().type("runs", "ls", "--no-header", "--failed-since", "1h", "--error", "EXIT_3")
                        .out())
                .contains("EXIT_3")
                .doesNotContain("EXIT_137");
    }

    @Test
    void deadLettersAreListedUntilSomebodyHasSettledThem() throws Exception {
        String id = StoreCommandsTest.dead("sqlite:" + folder.resolve("server.db"), "dead/1");
        assertThat(typed().type("dead", "ls", "--job", "fails").out()).contains(id, "IllegalStateException");
        assertThat(typed().type("dead", "discard", id).code()).isZero();
        assertThat(typed().type("dead", "ls").err()).contains("there are no dead letters");
        assertThat(typed().type("runs", "ls", "--state", "DEAD").out()).contains(id);
    }

    @Test
    void whoeverIsTurnedAwayHearsWhoHasTheKeyAndWhoeverWaitsGetsIt() {
        Running holder = start(
                "-n",
                "b",
                "--reason",
                "month end",
                "--",
                "sh",
                "-c",
                "echo stage load >>$INTERLOCK_RUN_FILE; echo ready; read line; exit 0");
        await().until(() -> holder.out().contains("ready"));
        await().until(() -> typed().type("locks", "show", "b").out().contains("load"));
        Ended busy = run("-n", "b", "--", "true");
        assertThat(busy.code()).isEqualTo(75);
        assertThat(busy.err())
                .contains("b is held", "reason “month end”", "stage load", "alive")
                .contains("interlock run -w 30m --server " + server.url() + " b -- true");
        assertThat(run("--if-busy", "skip", "b", "--", "true").code()).isZero();
        Running waiting = start("-w", "60s", "b", "--", "echo", "got it");
        await().until(() -> waiting.err().contains("you are number 1 of 1 in line"));
        Running leaving = start("-w", "60s", "b", "--", "echo", "never");
        await().until(() -> leaving.err().contains("you are number 2 of 2 in line"));
        leaving.signal("INT");
        assertThat(leaving.await().code()).isEqualTo(130);
        assertThat(typed().type("queue", "ls", "b", "--no-header").out().lines())
                .hasSize(1);
        holder.closeInput();
        assertThat(holder.await().code()).isZero();
        Ended had = waiting.await();
        assertThat(had.out()).isEqualTo("got it\n");
        assertThat(had.code()).isZero();
    }

    @Test
    void losingTheLeaseOrBeingCancelledStopsTheCommand() {
        Running loser = start("-n", "c", "--lease", "5s", "--", "sh", "-c", "echo $INTERLOCK_TOKEN; exec sleep 300");
        await().until(() -> loser.out().endsWith("\n"));
        String token = loser.out().strip();
        assertThat(typed().type("locks", "evict", "c", "--token", token, "--reason", "trial", "--yes")
                        .code())
                .isZero();
        Ended lost = loser.await();
        assertThat(lost.code()).isEqualTo(121);
        assertThat(lost.err()).contains("LEASE LOST for c (token " + token);

        Running cancelled =
                start("-w", "20s", "c", "--lease", "5s", "--", "sh", "-c", "echo $INTERLOCK_RUN_ID; exec sleep 300");
        await().until(() -> cancelled.out().endsWith("\n"));
        Answer word = typed().type("runs", "cancel", cancelled.out().strip(), "--yes", "--reason", "wrong month");
        assertThat(word.code()).as(() -> word.err() + cancelled.err()).isZero();
        Ended ended = cancelled.await();
        assertThat(ended.code()).isEqualTo(143);
        assertThat(ended.err()).contains("wrong month");
    }

    @Test
    void aCommandWhoseServerIsGoneIsStoppedBeforeItsLeaseEnds() {
        Running orphan = start("-n", "d", "--lease", "2s", "--", "sh", "-c", "echo ready; exec sleep 300");
        await().until(() -> orphan.out().contains("ready"));
        server.running().signal("STOP");
        try {
            Ended ended = orphan.await();
            assertThat(ended.code()).isEqualTo(121);
            assertThat(ended.err()).contains("no heartbeat was confirmed in time");
        } finally {
            server.running().signal("CONT");
        }
    }

    @Test
    void whoeverInsistsNeedNotWaitUntilTheServerHearsOfTheEnd() {
        Running ended = start("-n", "h", "--lease", "60s", "--", "sh", "-c", "echo $$; read line");
        await().until(() -> ended.out().endsWith("\n"));
        server.running().signal("STOP");
        try {
            ended.closeInput();
            await().until(() ->
                    ProcessHandle.of(Long.parseLong(ended.out().strip())).isEmpty());
            await().pollInterval(Duration.ofMillis(300)).until(() -> {
                ended.signal("INT");
                return !ended.process().isAlive();
            });
            assertThat(ended.await().code()).isEqualTo(130);
        } finally {
            server.running().signal("CONT");
        }
    }

    @Test
    void whoeverSleptWhenItsTurnCameAndWentDoesNotStartTheCommand() {
        Running holder = start("-n", "f", "--", "sh", "-c", "echo ready; read line; exit 0");
        await().until(() -> holder.out().contains("ready"));
        Running sleeper = start("-w", "60s", "--lease", "2s", "f", "--", "touch", "started-too-late");
        await().until(() -> sleeper.err().contains("you are number 1 of 1 in line"));
        sleeper.signal("STOP");
        holder.closeInput();
        assertThat(holder.await().code()).isZero();
        // The server answers into a socket that is not read, and the lease ends.
        await().until(() ->
                typed().type("runs", "ls", "--key", "f", "--no-header").out().contains("FAILED"));
        sleeper.signal("CONT");
        Ended ended = sleeper.await();
        assertThat(folder.resolve("started-too-late")).doesNotExist();
        assertThat(ended.code()).as(ended.err()).isEqualTo(75);
    }

    @Test
    void whoeverWaitsGoesOnWaitingWhenTheServerIsRestarted() {
        Answer taken = typed().type("acquire", "g", "--ttl", "60s");
        Running waiting = start("-w", "60s", "g", "--", "echo", "got it");
        await().until(() -> waiting.err().contains("you are number 1 of 1 in line"));
        // A server that is told to stop ends the waits of its callers.
        server.running().signal("TERM");
        server.running().await();
        server = server.restart(folder, "server");
        typed().set("INTERLOCK_LEASE_ID", StoreCommandsTest.field(taken.out(), "leaseId"))
                .type("release", "g", "--token", StoreCommandsTest.field(taken.out(), "token"));
        Ended had = waiting.await();
        assertThat(had.err()).doesNotContain("shutting-down");
        assertThat(had.out()).isEqualTo("got it\n");
    }

    @Test
    void whoeverLostTheAnswerFindsItsGrantAndItsPlaceInLineAgain() throws IOException {
        for (int lost : new int[] {10, Integer.MAX_VALUE}) {
            String key = "lost/" + lost;
            try (LosingRelay relay = new LosingRelay(server.url(), lost)) {
                Ended had =
                        through(relay.url(), "-n", key, "--", "echo", "got it").await();
                assertThat(had.code()).as(had.err()).isZero();
                assertThat(had.out()).isEqualTo("got it\n");
            }
            assertThat(typed().type("runs", "ls", "--key", key, "--no-header").out())
                    .contains("SUCCEEDED")
                    .hasLineCount(1);
        }
        Running holder = start("-n", "lost/line", "--", "sh", "-c", "echo ready; read line; exit 0");
        await().until(() -> holder.out().contains("ready"));
        try (LosingRelay relay = new LosingRelay(server.url(), 10)) {
            Running waiting = through(relay.url(), "-w", "60s", "lost/line", "--", "echo", "got it");
            await().until(() -> waiting.err().contains("you are number 1 of 1 in line"));
            holder.closeInput();
            assertThat(waiting.await().out()).isEqualTo("got it\n");
        }
    }

    @Test
    void leasesKeysAndPausesWork() {
        Typed cli = typed();
        Answer taken = cli.type("acquire", "e", "--ttl", "20s");
        assertThat(taken.code()).isZero();
        String token = StoreCommandsTest.field(taken.out(), "token");
        cli.set("INTERLOCK_LEASE_ID", StoreCommandsTest.field(taken.out(), "leaseId"));
        Answer held = cli.type("acquire", "e");
        assertThat(held.code()).isEqualTo(75);
        assertThat(held.err()).startsWith("interlock: e is held by").contains("interlock acquire --wait 30s e");
        assertThat(cli.type("renew", "e", "--token", token).code()).isZero();
        assertThat(cli.type("release", "e", "--token", token).code()).isZero();
        assertThat(cli.type("renew", "e", "--token", token).code()).isEqualTo(121);
        assertThat(cli.type("locks", "pause", "quiet/*", "--reason", "maintenance")
                        .code())
                .isZero();
        assertThat(run("-n", "quiet/1", "--", "true").err()).contains("is paused", "maintenance");
        assertThat(cli.type("locks", "resume", "quiet/*").code()).isZero();
        assertThat(cli.type("runs", "submit", "nothing").code()).isEqualTo(3);
        assertThat(cli.type("runs", "show", "nonsense").code()).isEqualTo(3);
        assertThat(cli.type("audit", "ls", "--key", "quiet/*").code()).isZero();
        // What to do next fits what was asked for.
        assertThat(cli.type("keys", "revoke", "nonsense", "--yes").err()).contains("interlock keys ls shows");
        assertThat(cli.type("locks", "resume", "quiet/*").err()).contains("interlock locks ls shows");
        assertThat(cli.type("runs", "submit", "a", "--priority", "500").err()).startsWith("interlock: priority: ");
        String run = run("-n", "again", "--", "sh", "-c", "echo $INTERLOCK_RUN_ID")
                .out()
                .strip();
        Answer again = cli.type("runs", "rerun", run);
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.err())
                .contains("done by its caller", "interlock run again -- …")
                .doesNotContain("[");
        assertThat(cli.type("resources", "set", "cluster/fleet-1", "READY", "--reason", "was there before")
                        .code())
                .isZero();
        assertThat(cli.type("resources", "show", "cluster/fleet-1").out()).contains("READY");
        assertThat(cli.type("resources", "show", "cluster/nowhere").code()).isEqualTo(3);
        Answer verified = cli.type("audit", "verify");
        assertThat(verified.out()).contains("nothing is wrong");
        assertThat(verified.code()).isZero();
        Answer janitor = cli.type("janitor", "status");
        assertThat(janitor.code()).isZero();
        assertThat(janitor.err()).contains("the server sweeps next at ");
    }

    @Test
    void aKeyThatEndsInAStarIsNoPattern() {
        StoreCommandsTest.showsTheKeyItself(typed());
    }

    @Test
    void theAuditLogIsComparedWithAFileOfWitnesses() throws IOException {
        Typed cli = typed();
        cli.type("locks", "pause", "witnessed/*", "--reason", "a test");
        Path seen = folder.resolve("seen");
        await().until(() -> {
            cli.type("audit", "verify", "--write-witness", seen.toString());
            return Files.exists(seen);
        });
        List<String> many = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            many.addAll(Files.readAllLines(seen));
        }
        Files.write(seen, many);
        assertThat(cli.type("audit", "verify", "--witness-file", seen.toString())
                        .out())
                .contains("nothing is wrong");
        Answer cut = cli.type(
                "audit", "verify", "--witness-file", seen.toString(), "--witness", "999999999:" + "a".repeat(64));
        assertThat(cut.out()).contains("position 999999999 was written down earlier");
        assertThat(cut.code()).isEqualTo(1);
        Answer known = cli.type("audit", "verify", "--kept-for", "30d");
        assertThat(known.code()).isEqualTo(64);
        assertThat(known.err()).contains("a server has its own audit key", "--store URL");
    }

    @Test
    void theDoctorLooksAtTheServerItsClockAndWhatTheKeyMay() {
        Answer well = typed().type("doctor");
        assertThat(well.out())
                .contains(
                        "ok     server    " + server.url() + " answers",
                        "ok     key       of tenant default, role admin")
                .contains("ms apart from the server's", "ok     store     the server reaches it")
                .contains("ok     rights    a lease was taken and given back");
        assertThat(well.code()).isZero();
        String reader = typed().type("keys", "create", "--role", "read").out().strip();
        assertThat(typed(reader).type("doctor").out())
                .contains("role read", "odd    rights    this key may look, and take no leases", "--role worker");
        typed().type("locks", "pause", "interlock-doctor/*", "--reason", "maintenance");
        Answer paused = typed().type("doctor");
        assertThat(paused.out()).contains("ok     rights    a lease could be taken, but: ", "maintenance");
        assertThat(paused.code()).isZero();
        typed().type("locks", "resume", "interlock-doctor/*");
        Answer stranger = typed("nonsense").type("doctor");
        assertThat(stranger.out()).contains("WRONG  key ");
        assertThat(stranger.code()).isEqualTo(1);
    }

    @Test
    void aSweepClearsWhatNobodyGaveBack() {
        Typed cli = typed();
        assertThat(cli.type("acquire", "swept", "--ttl", "2s").code()).isZero();
        await().until(() -> cli.type("janitor", "sweep", "--dry-run").out().contains("swept"));
        await().until(() -> {
            assertThat(cli.type("janitor", "sweep").code()).isZero();
            return !cli.type("locks", "ls", "--no-header").out().contains("swept");
        });
        String reader = cli.type("keys", "create", "--role", "worker").out().strip();
        Answer refused = typed(reader).type("janitor", "sweep");
        assertThat(refused.code()).isEqualTo(77);
        assertThat(refused.err()).contains("operator");
    }

    private static Typed typed() {
        return typed(server.apiKey());
    }

    private static Typed typed(String apiKey) {
        return new Typed("INTERLOCK_SERVER", server.url()).set("INTERLOCK_API_KEY", apiKey);
    }

    private static Running start(String... words) {
        return through(server.url(), words);
    }

    private static Running through(String url, String... words) {
        List<String> all = new ArrayList<>(List.of("run", "--server", url));
        all.addAll(List.of(words));
        return new Cli(folder).startWith("INTERLOCK_API_KEY", server.apiKey(), all.toArray(String[]::new));
    }

    private static Ended run(String... words) {
        Running running = start(words);
        running.closeInput();
        return running.await();
    }

    @SuppressWarnings("NullAway") // Set before the first test.
    private static ServerProcess unset() {
        return null;
    }
}
