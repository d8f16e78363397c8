package io.interlock.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.StoreCapabilities;
import io.interlock.config.Given.Flag;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mistakes in a configuration and their messages. */
class MistakesTest {

    @TempDir
    Path folder;

    private Written written = new Written(Path.of(""));

    @BeforeEach
    void prepare() {
        written = new Written(folder);
    }

    @Test
    void allMistakesAreToldAtOnceFromTopToBottom() {
        ConfigurationException refused = written.mistakes("""
                interlock:
                  prot: 8081
                  port: 99999
                  limits:
                    idle: 10s
                    arrival: soon
                  jobs:
                    export:
                      lease: 2h
                      max-runtime: 1h
                      on-conflict: joni
                      leese: 5s
                    other:
                      run: { worker: remote, java: X }
                      retry: { attempts: 3, backoff: 10m, max-backoff: 5m }
                other: x
                """);
        assertThat(refused.mistakes())
                .extracting(ConfigurationException.Mistake::toString)
                .containsExactly(
                        "interlock.yaml:16: other is outside of 'interlock:'; indent it below, or remove it",
                        "interlock.yaml:2: prot is no property; nearest is port",
                        "interlock.yaml:3: port '99999' is no whole number from 0 to 65535; correct it",
                        "interlock.yaml:5: limits.idle '10s' is too short, because a poll may be idle for 30s; raise it above that",
                        "interlock.yaml:6: limits.arrival 'soon' is not a duration; write it as 500ms, 30s, 5m, 2h, 1d or PT5M",
                        "interlock.yaml:8: jobs.export.run does not say how the work is done; give one of command, http, java, nodes, worker: remote",
                        "interlock.yaml:10: jobs.export.max-runtime '1h' is below the lease of 2h; raise it, or lower the lease",
                        "interlock.yaml:11: jobs.export.on-conflict 'joni' is not one of reject, skip, join, queue, queue-latest, replace; did you mean join?",
                        "interlock.yaml:12: jobs.export.leese is no property; nearest is jobs.export.lease",
                        "interlock.yaml:14: jobs.other.run has 2 ways to do the work; give one of command, http, java, nodes, worker: remote",
                        "interlock.yaml:15: jobs.other.retry retry.backoff '10m' must be from 0s to max-backoff 5m; lower backoff or raise max-backoff");
        assertThat(refused).hasMessageStartingWith("the configuration has 11 mistakes:\n  interlock.yaml:16");
    }

    @Test
    void aMistakeOutsideOfTheFileNamesItsFlagOrVariable() {
        assertThatThrownBy(() -> written.read("", Map.of("INTERLOCK_WORKER_SLOTS", "many"), Flag.of("port", "x")))
                .hasMessageContaining("environment INTERLOCK_WORKER_SLOTS: worker.slots 'many' is no whole number")
                .hasMessageContaining("flag --port: port 'x' is no whole number");
    }

    @Test
    void whatHoldsOthersHasNoValue() {
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, retry: 3 }"))
                .hasMessageContaining("jobs.a.retry is a group and takes no value; it contains attempts, backoff");
        assertThat(written.mistakes("interlock:\n  jobs: [a, b]\n")).hasMessageContaining("jobs[0] is no property");
        assertThat(written.mistakes("interlock:\n  port: { a: 1 }\n")).hasMessageContaining("port.a is no property");
        assertThat(written.mistakes("interlock:\n  jobs:\n    a:\n")).hasMessageContaining("jobs.a.run does not say");
    }

    @Test
    void aPropertyThatIsThereTwiceIsRefused() {
        assertThat(written.mistakes("interlock:\n  port: 1\n  host: x\n  port: 2\n"))
                .hasMessageContaining("interlock.yaml:4: port is set twice");
    }

    @Test
    void theTimeoutOfAPipelineHasItsLimits() {
        for (String wrong : new String[] {"59s", "86401s", "0s"}) {
            assertThat(written.mistakesOfJob("{ api: pipelines, run: { worker: remote }, max-runtime: " + wrong + " }"))
                    .hasMessageContaining("must be from 1m (60 s) to 1d (86400 s)");
        }
        for (String right : new String[] {"60s", "24h"}) {
            assertThatCode(() -> written.job("{ api: pipelines, run: { worker: remote }, max-runtime: " + right + " }"))
                    .doesNotThrowAnyException();
        }
        assertThat(written.mistakesOfJob("{ api: flows, run: { worker: remote }, max-runtime: 999ms }"))
                .hasMessageContaining("max-runtime '999ms' is below 1s");
        assertThat(written.job("{ api: flows, run: { worker: remote }, max-runtime: 1s }")
                        .job()
                        .terms()
                        .ttl())
                .isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void nodesAreJobsOfAWorkflowThatHaveNoneThemselves() {
        assertThat(written.mistakes("""
                interlock:
                  jobs:
                    a: { api: workflows, run: { nodes: [b, c, b, gone] } }
                    b: { run: { worker: remote } }
                    c: { api: workflows, run: { nodes: [b] } }
                    d: { run: { nodes: [b] } }
                    e: { api: workflows, run: { nodes: [b], worker: remote } }
                """))
                .hasMessageContaining("jobs.a.run.nodes has 'b' twice")
                .hasMessageContaining("jobs.a.run.nodes has 'gone', which is not a job")
                .hasMessageContaining("jobs.a.run.nodes has 'c', which has nodes itself")
                .hasMessageContaining("jobs.d.run.nodes is only for jobs with api: workflows; this one has api: none")
                .hasMessageContaining("jobs.e.run has 2 ways to do the work");
    }

    @Test
    void contradictionsAreRefusedWithTheNumbers() {
        assertThat(written.mistakes("interlock:\n  history: { runs: 2d }\n  idempotency: { keep: 3d }\n"))
                .hasMessageContaining("'3d' must be from 1d to history.runs, which is 2d");
        assertThat(written.mistakes("interlock:\n  tls: { key: /x }\n"))
                .hasMessageContaining("is set without the other");
        assertThat(written.mistakes("interlock:\n  port: 80\n  management-port: 80\n"))
                .hasMessageContaining("management-port '80' equals port");
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, on-conflict: queue, max-wait: 0s }"))
                .hasMessageContaining("contradicts on-conflict QUEUE");
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, lease: 1s }"))
                .hasMessageContaining("lease '1s' is below the shortest lease of 2s");
    }

    @Test
    void aLeaseTheStoreDoesNotGrantIsRefusedWithTheNumbers() {
        Configuration all = written.read("""
                interlock:
                  jobs:
                    a: { run: { worker: remote }, lease: 6m }
                    b: { run: { worker: remote }, lease: 7m }
                    c: { run: { worker: remote }, lease: 5m }
                """);
        StoreCapabilities store = new StoreCapabilities(
                "memory", StoreCapabilities.Reach.PROCESS, true, Duration.ofMinutes(5), Duration.ofMillis(1), 1);
        assertThatThrownBy(() -> all.requireWithin(store))
                .hasMessageContaining("has 2 mistakes")
                .hasMessageContaining("interlock.yaml:3: jobs.a.lease '6m' is above the store's maxLease of 5m")
                .hasMessageContaining("interlock.yaml:4: jobs.b.lease '7m'");
    }

    @Test
    void partsOfJobsThatDoNotFitAreRefused() {
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, stages: [x, y, x] }"))
                .hasMessageContaining("stages has 'x' twice");
        assertThat(written.mistakesOfJob(
                        "{ run: { worker: remote }, conflict-retry: { attempts: 1000, delay: 999999999999d } }"))
                .hasMessageContaining("is above 1m");
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, stages: [x], stage-budgets: { z: 1m } }"))
                .hasMessageContaining("names a stage that is not in stages [x]");
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, schedule: 0 3 * * }"))
                .hasMessageContaining("schedule '0 3 * *' has 4 fields");
        assertThat(written.mistakesOfJob("{ api: flows, run: { worker: remote }, schedule: 0 3 * * * }"))
                .hasMessageContaining("schedule-key is missing");
        assertThat(written.mistakesOfJob("{ api: pipeline, run: { worker: remote } }"))
                .hasMessageContaining("did you mean pipelines?");
        assertThat(written.mistakesOfJob("{ run: { command: [x] }, retry: { permanent-exit-codes: [64, 256, -1] } }"))
                .hasMessageContaining("has '256'; exit codes are from 0 to 255")
                .hasMessageContaining("has '-1'");
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, transition: { resource: cluster } }"))
                .hasMessageContaining("transition is incomplete");
        assertThat(
                        written.mistakesOfJob(
                                "{ api: workflows, run: { worker: remote }, triggers: [x], trigger-priorities: { x: 101, y: 1 } }"))
                .hasMessageContaining("trigger-priorities.x '101' is no whole number from -100 to 100")
                .hasMessageContaining("trigger-priorities.y names a trigger that is not one of [x]");
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, trigger-priorities: { x: 1 } }"))
                .hasMessageContaining("is only for jobs with api: workflows");
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, triggers: [x] }"))
                .hasMessageContaining("is only for jobs with api: workflows");
        assertThat(written.mistakes("interlock:\n  jobs:\n    a b: { run: { worker: remote } }\n"))
                .hasMessageContaining("must be 1 to 100 characters of A-Z");
    }

    @Test
    void aTriggerStartsOneJob() {
        assertThat(written.mistakes("""
                interlock:
                  jobs:
                    a: { api: workflows, run: { worker: remote } }
                    b: { api: workflows, run: { worker: remote }, triggers: [x, a] }
                """)).hasMessageContaining("jobs.b.triggers has 'a', which already starts job a");
    }

    @Test
    void variablesOfCommandsHaveNames() {
        assertThat(written.mistakesOfJob("{ run: { command: [a], environment: none, environment-allow: [\"A=B\"] } }"))
                .hasMessageContaining("'none' is not one of inherit, clean")
                .hasMessageContaining("A=B");
        assertThat(written.mistakesOfJob("{ run: { worker: remote, environment: clean } }"))
                .hasMessageContaining("is only for jobs that run a command");
    }

    @Test
    void notificationsSayWhatAndWhere() {
        ConfigurationException refused = written.mistakes("""
                interlock:
                  notify:
                    - { on: [dead-leter], url: "https://example.org/x", secret: a, secret-file: b }
                    - { command: [mail] }
                    - { on: [overdue] }
                    - { on: [overdue], url: "ftp://example.org/canary", secret: a }
                """);
        assertThat(refused)
                .hasMessageContaining("notify[0].on has 'dead-leter'")
                .hasMessageContaining("did you mean dead-letter?")
                .hasMessageContaining("notify[0].secret-file or secret must be set")
                .hasMessageContaining("notify[1].on is missing")
                .hasMessageContaining("notify[2].url or command must be set")
                .hasMessageContaining("notify[3].url '…' is not a web address");
        assertThat(refused.getMessage()).doesNotContain("canary");
    }
}
