package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.cli.Cli.Running;
import io.interlock.cli.Typed.Answer;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.TransientFailureException;
import io.interlock.run.RetryPlan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All commands but {@code run}, straight on a SQLite store. */
class StoreCommandsTest {

    @TempDir
    Path folder;

    private Typed cli = new Typed("INTERLOCK_STORE", "");

    @BeforeEach
    void open() {
        cli = new Typed("INTERLOCK_STORE", store());
    }

    @Test
    void aScriptTakesRenewsAndGivesBackALease() {
        Answer taken = cli.type("acquire", "ledger/4711", "--ttl", "20s");
        assertThat(taken.code()).isZero();
        String token = field(taken.out(), "token");
        assertThat(cli.type("acquire", "ledger/4711").code()).isEqualTo(75);
        assertThat(cli.type("renew", "ledger/4711", "--token", token).err()).contains("INTERLOCK_LEASE_ID is not set");

        cli.set("INTERLOCK_LEASE_ID", field(taken.out(), "leaseId"));
        Answer renewed = cli.type("renew", "ledger/4711", "--token", token, "--ttl", "30s");
        assertThat(renewed.code()).isZero();
        assertThat(field(renewed.out(), "expiresAt")).isGreaterThan(field(taken.out(), "expiresAt"));
        assertThat(cli.type("locks", "ls").out()).contains("ledger/4711  HELD", token);

        assertThat(cli.type("release", "ledger/4711", "--token", token).code()).isZero();
        assertThat(cli.type("release", "ledger/4711", "--token", token).code()).isZero();
        Answer lost = cli.type("renew", "ledger/4711", "--token", token);
        assertThat(lost.code()).isEqualTo(121);
        assertThat(lost.err()).contains("is lost", "acquire anew");
        assertThat(cli.type("locks", "show", "ledger/4711").out()).startsWith("ledger/4711 is free");
    }

    @Test
    void whatAWorkerWroteIsShownAsText() throws InterruptedException {
        String evil = "msg \u001b]0;TITLE\u0007\u001b[2J\u001b[31mRED\u009b2J\u0085\u202Eturned\rover";
        Jobs jobs = Jobs.of(Job.named("evil")
                .handler(run -> {
                    run.output(evil);
                    throw new PermanentFailureException("EVIL", evil);
                })
                .build());
        RunId id;
        try (RunEngine engine = RunEngine.builder(store()).jobs(jobs).build()) {
            id = engine.submit(RunRequest.of(LockKey.of("default", "k"), "evil")
                            .parameters("{\"a\": \"\u009b2J\u202E\"}")
                            .labels(Map.of("label", evil)))
                    .orElseThrow()
                    .id();
            engine.awaitEnd(id, Duration.ofSeconds(20));
        }
        List<Answer> all = List.of(
                cli.type("runs", "watch", id.toString()),
                cli.type("runs", "show", id.toString()),
                cli.type("runs", "show", id.toString(), "--json"),
                cli.type("runs", "logs", id.toString()),
                cli.type("runs", "ls"),
                cli.type("runs", "ls", "--json"),
                cli.type("runs", "cancel", id.toString()));
        assertThat(all)
                .allSatisfy(answer -> assertThat((answer.out() + answer.err()).chars())
                        .noneMatch(c -> (Character.isISOControl(c) && c != '\n' && c != '\t') || c == 0x202e));
        assertThat(cli.type("runs", "show", id.toString()).out()).contains("msg \\u001b]0;TITLE\\u0007");
        assertThat(cli.type("runs", "show", id.toString(), "--json").out()).contains("\\u009b2J\\u202e");
        assertThat(cli.type("runs", "logs", id.toString(), "--raw").out()).contains(evil);
    }

    @Test
    void runsAreFoundByHolderLabelAndFailure() throws InterruptedException {
        Jobs jobs = Jobs.of(
                Job.named("ends").handler(run -> "{}").build(),
                Job.named("fails")
                        .handler(run -> {
                            throw new PermanentFailureException("EXIT_70", "no room");
                        })
                        .build());
        String failed;
        String ended;
        String holder;
        try (RunEngine engine = RunEngine.builder(store()).jobs(jobs).build()) {
            RunId first = engine.submit(RunRequest.of(LockKey.of("default", "found/1"), "fails")
                            .labels(Map.of("team", "finance")))
                    .orElseThrow()
                    .id();
            RunId second = engine.submit(RunRequest.of(LockKey.of("default", "found/2"), "ends"))
                    .orElseThrow()
                    .id();
            holder = engine.awaitEnd(first, Duration.ofSeconds(20))
                    .orElseThrow()
                    .status()
                    .lastTurn()
                    .orElseThrow()
                    .holder()
                    .label();
            engine.awaitEnd(second, Duration.ofSeconds(20));
            failed = first.toString();
            ended = second.toString();
        }
        assertThat(listed("--label", "team=finance")).contains(failed).doesNotContain(ended);
        assertThat(listed("--error", "EXIT_70")).contains(failed).doesNotContain(ended);
        assertThat(listed("--failed-since", "1h")).contains(failed).doesNotContain(ended);
        assertThat(listed("--failed-since", "1h", "--error", "EXIT_71")).doesNotContain(failed);
        assertThat(listed("--key", "found/*", "--holder", holder)).contains(failed, ended);
        assertThat(listed("--holder", "another")).doesNotContain(failed, ended);
        assertThat(listed("--since", "2126-11-15T02:00:00Z")).doesNotContain(failed, ended);
        Answer records = cli.type("audit", "ls", "--key", "found/*", "--since", "1h", "--action", "submitted");
        assertThat(records.out()).contains("found/1", "found/2").doesNotContain("SUCCEEDED");
        assertThat(cli.type("audit", "ls", "--until", "1h").err()).contains("there are no such audit records");
        Answer soon = cli.type("audit", "ls", "--since", "soon");
        assertThat(soon.code()).isEqualTo(64);
        assertThat(soon.err()).contains("--since 'soon' is neither a time like");
        Answer wrong = cli.type("runs", "ls", "--label", "team");
        assertThat(wrong.code()).isEqualTo(64);
        assertThat(wrong.err()).contains("is not NAME=VALUE", "team=finance");
    }

    private String listed(String... filter) {
        Answer answer = cli.type(
                Stream.concat(Stream.of("runs", "ls"), Stream.of(filter)).toArray(String[]::new));
        assertThat(answer.code()).as(answer.err()).isZero();
        return answer.out();
    }

    @Test
    void theOutputOfEachAttemptIsPrinted() throws InterruptedException {
        Jobs jobs = Jobs.of(Job.named("flaky")
                .retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO))
                .handler(run -> {
                    run.output("this is attempt " + run.attempt());
                    throw new TransientFailureException("EXIT_70", "again");
                })
                .build());
        String id;
        try (RunEngine engine = RunEngine.builder(store()).jobs(jobs).build()) {
            RunId run = engine.submit(RunRequest.of(LockKey.of("default", "attempts"), "flaky"))
                    .orElseThrow()
                    .id();
            engine.awaitEnd(run, Duration.ofSeconds(20));
            id = run.toString();
        }
        assertThat(cli.type("runs", "logs", id).out()).isEqualTo("this is attempt 2\n");
        assertThat(cli.type("runs", "logs", id, "--attempt", "1").out()).isEqualTo("this is attempt 1\n");
        Answer none = cli.type("runs", "logs", id, "--attempt", "3");
        assertThat(none.code()).isEqualTo(3);
        assertThat(none.err()).contains("has no attempt 3", "choose one of 1 to 2");
        assertThat(cli.type("runs", "show", id).out()).containsOnlyOnce("this is attempt");
        assertThat(cli.type("runs", "show", id, "--json").out())
                .contains("\"output\": \"this is attempt 1\"", "\"output\": \"this is attempt 2\"");
    }

    @Test
    void whatToTypeNextLeadsToTheSamePlace() throws IOException {
        // By a process that is gone when it has the lease.
        Cli process = new Cli(Files.createDirectories(folder.resolve("elsewhere")));
        String elsewhere = process.store();
        String token = field(process.run("acquire", "k", "--ttl", "2s").out(), "token");
        String next = "interlock locks evict --store " + elsewhere + " k --token " + token + " --reason TEXT";
        await().until(
                        () -> cli.type("locks", "show", "k", "--store", elsewhere)
                                .out(),
                        out -> out.contains("evict it"));
        assertThat(cli.type("locks", "show", "k", "--store", elsewhere).out()).contains(next);
    }

    @Test
    void forceNeedsTheTokenAndAReason() {
        String token = field(cli.type("acquire", "k").out(), "token");
        assertThat(cli.type("locks", "evict", "k", "--token", token).code()).isEqualTo(64);
        Answer stale = cli.type("locks", "evict", "k", "--token", "1", "--reason", "gone");
        assertThat(stale.code()).isEqualTo(5);
        assertThat(stale.err()).contains("has token " + token + ", not 1", "interlock locks show k");
        Answer evicted = cli.type("locks", "evict", "k", "--token", token, "--reason", "gone", "--json");
        assertThat(evicted.code()).as("without a terminal it asks no question").isZero();
        assertThat(field(evicted.out(), "releasedToken")).isEqualTo(token);
        assertThat(cli.type("locks", "evict", "free", "--token", "1", "--reason", "x", "-y")
                        .code())
                .isEqualTo(5);
    }

    @Test
    void whoSitsAtATerminalIsAskedBeforeSomethingIsTakenAway() throws IOException {
        Cli process = new Cli(Files.createDirectories(folder.resolve("terminal")));
        String token = field(process.run("acquire", "k", "--ttl", "1m").out(), "token");
        for (String answer : List.of("n", "y")) {
            Path typed = folder.resolve("typed");
            Files.writeString(typed, process.shellCommand() + " locks evict k --reason gone --token " + token);
            Running asked = process.running(List.of("script", "-qec", "sh " + typed, "/dev/null"), "TERM", "xterm");
            await().until(() -> asked.out().contains("[y/N]"));
            assertThat(asked.out()).contains("Evict it? k is held by");
            asked.write((answer + "\n").getBytes(StandardCharsets.UTF_8));
            assertThat(asked.await().code()).isEqualTo(answer.equals("y") ? 0 : 1);
            if (answer.equals("n")) {
                assertThat(asked.out()).contains("nothing was done").doesNotContain("internal-error");
            }
        }
    }

    @Test
    void anOperatorSetsTheStateOfAResourceWhileItsKeyIsFree() {
        assertThat(cli.type("resources", "show", "cluster/fleet-1").code()).isEqualTo(3);
        assertThat(cli.type("resources", "set", "cluster/fleet-1", "READY").code())
                .isEqualTo(64);
        Answer set = cli.type("resources", "set", "cluster/fleet-1", "READY", "--reason", "was there before", "--json");
        assertThat(set.code()).isZero();
        assertThat(field(set.out(), "kind")).isEqualTo("cluster");
        assertThat(field(set.out(), "version")).isEqualTo("1");
        assertThat(cli.type("resources", "show", "cluster/fleet-1").out()).contains("READY");
        assertThat(cli.type("audit", "ls", "--key", "cluster/fleet-1").out()).contains("was there before");

        String token = field(cli.type("acquire", "cluster/fleet-1").out(), "token");
        Answer held = cli.type("resources", "set", "cluster/fleet-1", "FAILED", "--reason", "half gone");
        assertThat(held.code()).isEqualTo(75);
        assertThat(held.err()).contains("only while its key is free", "interlock locks show cluster/fleet-1");
        cli.type("locks", "evict", "cluster/fleet-1", "--token", token, "--reason", "test", "-y");
        assertThat(field(
                        cli.type("resources", "show", "cluster/fleet-1", "--json")
                                .out(),
                        "state"))
                .isEqualTo("READY");
    }

    @Test
    void pausesAreSeenAndEnded() {
        assertThat(cli.type("locks", "pause", "pipeline/*", "--reason", "maintenance", "--for", "2h")
                        .out())
                .contains("pipeline/*", "maintenance", "until");
        assertThat(cli.type("locks", "show", "pipeline/a").out()).contains("PAUSED", "maintenance");
        Answer refused = cli.type("runs", "submit", "export", "--key", "pipeline/a");
        assertThat(refused.code()).isEqualTo(75);
        assertThat(refused.err()).contains("is paused by", "maintenance");
        assertThat(cli.type("locks", "resume", "pipeline/*").code()).isZero();
        assertThat(cli.type("locks", "resume", "pipeline/*").code()).isEqualTo(3);
    }

    @Test
    void aKeyThatEndsInAStarIsNoPattern() {
        showsTheKeyItself(cli);
    }

    /** Of a key that ends in a star, among those that begin like it. */
    static void showsTheKeyItself(Typed cli) {
        assertThat(cli.type("acquire", "star/1").code()).isZero();
        assertThat(cli.type("locks", "show", "star/*", "--json").out())
                .contains("\"key\": \"star/*\"", "star/* is free")
                .doesNotContain("star/1");
        assertThat(cli.type("acquire", "star/").code()).isZero();
        Answer taken = cli.type("acquire", "star/*");
        assertThat(taken.code()).as(taken.err()).isZero();
        String shown = cli.type("locks", "show", "star/*", "--json").out();
        assertThat(field(shown, "key")).isEqualTo("star/*");
        assertThat(field(shown, "token")).isEqualTo(field(taken.out(), "token"));
    }

    @Test
    void aPauseLastsAsLongAsItIsAskedFor() {
        Answer brief = cli.type("locks", "pause", "brief", "--for", "1ms");
        assertThat(brief.code()).as(brief.err()).isZero();
        for (String time : List.of("3651d", "999999999999d")) {
            Answer endless = cli.type("locks", "pause", "brief", "--for", time);
            assertThat(endless.code()).as(endless.err()).isEqualTo(64);
            assertThat(endless.err()).contains("--for '" + time + "' is ");
        }
    }

    @Test
    void topShowsWhatGoesOn() {
        cli.type("runs", "submit", "export", "--key", "p");
        cli.type("runs", "submit", "export", "--key", "p", "--on-conflict", "queue");
        Answer seen = cli.type("top");
        assertThat(seen.code()).isZero();
        assertThat(seen.out())
                .contains("locks  0 held, 0 overdue, 1 waiting, 0 paused")
                .contains("runs   0 running, 1 pending, 1 queued, 0 dead letters")
                .contains("NO_WORKER", "no live worker does job export");
        assertThat(cli.type("top", "--once", "--json").out()).contains("\"attention\":[{\"kind\":\"NO_WORKER\"");
    }

    @Test
    void runsAreSubmittedListedShownWatchedAndCancelled() {
        Answer submitted = cli.type("runs", "submit", "export", "--key", "p", "--reason", "month end", "--json");
        String id = field(submitted.out(), "id");
        assertThat(field(submitted.out(), "state")).isEqualTo("PENDING");
        Answer second = cli.type("runs", "submit", "export", "--key", "p", "--on-conflict", "queue", "--json");
        assertThat(field(second.out(), "position")).isEqualTo("1");
        assertThat(cli.type("queue", "ls", "p").out()).contains("p    1      " + field(second.out(), "id"));
        assertThat(cli.type("queue", "ls").out()).contains(field(second.out(), "id"));
        assertThat(cli.type("runs", "ls", "--key", "p", "--no-header").out().lines())
                .hasSize(2);
        assertThat(cli.type("runs", "ls", "--state", "queued", "--json").out())
                .contains(field(second.out(), "id"))
                .doesNotContain(id);
        assertThat(cli.type("runs", "show", id).out()).contains("waits for a worker", "month end");
        assertThat(cli.type("runs", "logs", id).err()).contains("no output of run");

        Answer third = cli.type("runs", "submit", "export", "--key", "p", "--on-conflict", "queue", "--json");
        assertThat(cli.type("runs", "front", field(third.out(), "id")).code())
                .as("without a reason")
                .isEqualTo(64);
        assertThat(cli.type("runs", "front", field(third.out(), "id"), "--reason", "month end")
                        .code())
                .isZero();
        assertThat(cli.type("queue", "ls", "p").out()).contains("p    1      " + field(third.out(), "id"));

        assertThat(cli.type("runs", "cancel", id, "--reason", "wrong month").out())
                .contains("ABORTED");
        assertThat(cli.type("runs", "cancel", id, "--yes").code()).isEqualTo(5);
        Answer watched = cli.type("runs", "watch", id);
        assertThat(watched.code()).isEqualTo(1);
        assertThat(watched.out()).contains("ended ABORTED");
        assertThat(cli.type("runs", "show", "nonsense").code()).isEqualTo(3);
        assertThat(cli.type("runs", "show", id, "--tenant", "other").code()).isEqualTo(3);
        assertThat(cli.type("audit", "ls", "--run", id).out()).contains("wrong month", "(command line)");
        assertThat(cli.type("audit", "verify").code()).isZero();
        assertThat(cli.type("janitor", "sweep", "--dry-run").code()).isZero();
        assertThat(cli.type("janitor", "sweep").code()).isZero();
    }

    @Test
    void aSweepKeepsHistoryForTheTimesOfTheConfiguration() throws Exception {
        String id = field(cli.type("runs", "submit", "export", "--json").out(), "id");
        cli.type("runs", "cancel", id, "--reason", "wrong month");
        try (Connection database = DriverManager.getConnection("jdbc:" + store());
                Statement statement = database.createStatement()) {
            long days = Duration.ofDays(3).toSeconds() * 1_000_000;
            statement.execute(
                    "UPDATE interlock_run SET submitted_at = submitted_at - " + days + ", since = since - " + days);
        }
        assertThat(cli.type("janitor", "sweep").code()).isZero();
        assertThat(cli.type("runs", "show", id).code()).as("kept for 30 days").isZero();
        Path config = Files.writeString(folder.resolve("interlock.yaml"), """
                interlock:
                  history: { runs: 2d, dead-letters: 2d }
                """);
        assertThat(cli.type("janitor", "sweep", "--config", config.toString()).code())
                .isZero();
        assertThat(cli.type("runs", "show", id).code()).as("kept for 2 days").isEqualTo(3);
    }

    @Test
    void deadLettersAreRedrivenOrDiscarded() throws Exception {
        String id = dead(store(), "a");
        String other = dead(store(), "b");
        assertThat(cli.type("dead", "ls").out()).contains(id, other, "IllegalStateException");
        assertThat(cli.type("dead", "show", id).out()).contains("no luck");
        assertThat(cli.type("dead", "redrive", id).out()).contains("PENDING");
        Answer twice = cli.type("dead", "redrive", id, "nonsense");
        assertThat(twice.code()).isEqualTo(1);
        assertThat(twice.err()).contains("was REDRIVEN by", "0 done, 2 failed (of 2)");
        assertThat(cli.type("dead", "discard", other).code()).isZero();
        assertThat(cli.type("dead", "ls").err()).as("all are settled").contains("there are no dead letters");
        assertThat(cli.type("runs", "ls", "--state", "DEAD").out()).contains(id, other);
    }

    /** A dead letter in {@code store} under {@code key}: its id. */
    static String dead(String store, String key) throws InterruptedException {
        Job fails = Job.named("fails")
                .retry(new RetryPlan(2, Duration.ofMillis(1), 1, Duration.ofMillis(1)))
                .handler(run -> {
                    throw new IllegalStateException("no luck");
                })
                .build();
        return dead(store, key, fails);
    }

    /** One of a job that fails. */
    static String dead(String store, String key, Job fails) throws InterruptedException {
        try (RunEngine engine = RunEngine.builder(store).jobs(Jobs.of(fails)).build()) {
            RunId id = engine.submit(RunRequest.of(LockKey.of(key), fails.name()))
                    .orElseThrow()
                    .id();
            engine.awaitEnd(id, Duration.ofSeconds(20));
            return id.toString();
        }
    }

    @Test
    void keysAreMadeListedAndTakenBack() {
        Answer made = cli.type("keys", "create", "--tenant", "acme", "--role", "worker", "--label", "worker-3");
        assertThat(made.out()).startsWith("ilk_").endsWith("\n").hasLineCount(1);
        assertThat(made.err()).isEmpty();
        Answer listed = cli.type("keys", "ls", "--tenant", "acme", "--no-header");
        assertThat(listed.out())
                .contains("worker-3", "yes")
                .doesNotContain(made.out().strip());
        String id = listed.out().split(" ", 2)[0];
        assertThat(cli.type("keys", "revoke", id, "--tenant", "acme").code()).isZero();
        assertThat(cli.type("keys", "ls", "--tenant", "acme").out()).contains("no");
        assertThat(cli.type("keys", "create", "--role", "king").code()).isEqualTo(64);
    }

    @Test
    void anEpochIsBumped() {
        String before = field(cli.type("acquire", "k").out(), "token");
        assertThat(cli.type("store", "bump-epoch").code()).isEqualTo(64);
        Answer bumped = cli.type("store", "bump-epoch", "--reason", "restored a backup");
        assertThat(bumped.code()).isZero();
        assertThat(bumped.out()).matches("\\d{4}-.*Z\n");
        assertThat(cli.type("acquire", "other").err()).contains("may have lost leases");
        assertThat(before).isNotEmpty();
        assertThat(cli.type("store", "migrate").code()).isZero();
        // Of a server it does not know the store; and it must not be done to another one.
        for (String[] verb : new String[][] {{"migrate"}, {"bump-epoch", "--reason", "x", "--yes"}}) {
            List<String> words = new ArrayList<>(List.of("store"));
            words.addAll(List.of(verb));
            words.addAll(List.of("--server", "http://localhost:1"));
            Answer refused = cli.type(words.toArray(String[]::new));
            assertThat(refused.code()).isEqualTo(64);
            assertThat(refused.err()).contains("at the store itself", "--store URL");
        }
    }

    @Test
    void whatIsFilteredIsNotTakenForAll() {
        cli.type("acquire", "k");
        assertThat(cli.type("locks", "ls", "other/*").err()).contains("that begins with 'other/'");
        assertThat(cli.type("locks", "ls", "a*b").code()).isEqualTo(64);
        assertThat(cli.type("queue", "ls", "k").err()).contains("no run waits for k");
        assertThat(cli.type("dead", "ls", "--job", "close").err()).contains("dead letters of job close");
        assertThat(cli.type("audit", "ls", "--key", "z").err()).contains("no such audit records");
        cli.type("locks", "pause", "quiet/*", "--reason", "maintenance");
        assertThat(cli.type("audit", "ls", "--limit", "1").err())
                .contains("no more than 1 are shown; --limit shows more");
        Answer many = cli.type("runs", "ls", "--limit", "5000");
        assertThat(many.code()).isEqualTo(64);
        assertThat(many.err()).contains("--limit '5000' is not from 1 to 1000", "--since");
        Answer unknown = cli.type("runs", "ls", "--state", "runing");
        assertThat(unknown.code()).isEqualTo(64);
        assertThat(unknown.err()).contains("did you mean 'RUNNING'?", "choose one of QUEUED, ");
        assertThat(cli.type("janitor", "sweep", "--wide", "--no-header").code()).isZero();
    }

    @Test
    void theDoctorSaysWhatIsWrong() {
        Answer well = cli.type("doctor");
        assertThat(well.out()).contains("ok     store", "ok     schema", "ok     rights", "ok     clock");
        assertThat(well.code()).isZero();
        Answer ill = cli.type("doctor", "--store", "postgresql://x:secret@localhost:1/db");
        assertThat(ill.code()).isEqualTo(1);
        assertThat(ill.out())
                .contains("WRONG  store", "cannot be reached", "       do this   check host and port in the URL")
                .doesNotContain("secret");
    }

    @Test
    void theConfigurationIsShownWithOrigins() throws Exception {
        Path file = Files.writeString(
                folder.resolve("interlock.yaml"),
                "interlock:\n  jobs:\n    hello:\n      run: { command: [\"echo\", \"hello\"] }\n      api: flows\n");
        assertThat(cli.type("config", "show", "--origin", "--config", file.toString())
                        .out())
                .contains("interlock.store", "environment INTERLOCK_STORE", "interlock.yaml:4", "default");
        // It takes no store to read a file.
        assertThat(cli.type("jobs", "ls", "--config", file.toString(), "--store", "postgresql://x@localhost:1/db")
                        .out())
                .contains("hello  flows  SKIP");
        assertThat(cli.type("jobs", "ls").code()).isEqualTo(78);
        Files.writeString(file, "interlock:\n  jobs:\n    e: { api: pipelines, run: { worker: remote } }\n");
        String jobs =
                cli.type("jobs", "ls", "--config", file.toString(), "--json").out();
        assertThat(field(jobs, "api")).isEqualTo("pipelines");
        assertThat(field(jobs, "worker")).isEqualTo("remote");
        assertThat(field(jobs, "maxRuntime")).isEqualTo("PT1H");
        Files.writeString(file, "interlock:\n  jobz: { a: 1 }\n");
        Answer wrong = cli.type("worker", "--config", file.toString());
        assertThat(wrong.code()).isEqualTo(78);
        assertThat(wrong.err()).contains("jobz", "the configuration is wrong");
    }

    private String store() {
        return "sqlite:" + folder.resolve("interlock.db");
    }

    static String field(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":\\s*\"?([^\",}]*)").matcher(json);
        assertThat(matcher.find()).as(name + " in " + json).isTrue();
        return matcher.group(1).strip();
    }
}
