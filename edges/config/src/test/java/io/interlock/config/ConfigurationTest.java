package io.interlock.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.config.Given.Flag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sources of values, and how they are shown. */
class ConfigurationTest {

    @TempDir
    Path folder;

    private Written written = new Written(Path.of(""));

    @BeforeEach
    void prepare() {
        written = new Written(folder);
    }

    @Test
    void withoutAnythingTheDefaultsHold() {
        Configuration nothing = Written.nothing();
        assertThat(nothing.settings().limits()).isEqualTo(Limits.DEFAULT);
        assertThat(nothing.settings().listen()).isEqualTo(new Listen("127.0.0.1", 8080, null, false, null));
        assertThat(nothing.settings().worker().slots()).isEqualTo(16);
        assertThat(nothing.settings().worker().sweepEvery())
                .as("locks are cleaned up at least every 5 minutes")
                .isLessThanOrEqualTo(Duration.ofMinutes(5));
        assertThat(nothing.settings().history().retention().deadLetters())
                .as("kept for 14 days longer than other runs")
                .isEqualTo(nothing.settings().history().retention().runs().plusDays(14));
        assertThat(nothing.settings().jobs()).isEmpty();
        assertThat(nothing.settings().store()).isEqualTo("sqlite:/home/me/.local/share/interlock/interlock.db");
        assertThat(nothing.effective())
                .allMatch(property -> !property.isSet())
                .contains(new EffectiveProperty("interlock.shutdown.grace", "30s", "default"))
                .contains(new EffectiveProperty(
                        "interlock.store", nothing.settings().store(), "default"));
    }

    @Test
    void aFlagGoesBeforeTheEnvironmentAndThatBeforeTheFile() {
        Configuration all = written.read(
                """
                interlock:
                  port: 1
                  host: 10.0.0.1
                  worker:
                    slots: 3
                  jobs:
                    a:
                      run: { command: [x, y] }
                """,
                Map.of("INTERLOCK_PORT", "2", "INTERLOCK_HOST", "10.0.0.2", "INTERLOCK_WORKER_SLOTS", ""),
                Flag.of("port", "3"),
                new Flag("--no-worker", "worker.enabled", "false"));
        assertThat(all.settings().listen().port()).isEqualTo(3);
        assertThat(all.settings().listen().host()).isEqualTo("10.0.0.2");
        assertThat(all.settings().worker().slots())
                .as("an empty variable does not count")
                .isEqualTo(3);
        assertThat(all.settings().worker().enabled()).isFalse();
        assertThat(all.effective())
                .contains(
                        new EffectiveProperty("interlock.port", "3", "flag --port"),
                        new EffectiveProperty("interlock.worker.enabled", "false", "flag --no-worker"),
                        new EffectiveProperty("interlock.host", "10.0.0.2", "environment INTERLOCK_HOST"),
                        new EffectiveProperty("interlock.worker.slots", "3", "interlock.yaml:5"),
                        new EffectiveProperty("interlock.jobs.a.run.command", "x,y", "interlock.yaml:8"),
                        new EffectiveProperty("interlock.jobs.a.lease", "30s", "default"));
    }

    @Test
    void theEnvironmentMayChangeAJobOfTheFile() {
        Configuration all = written.read(
                "interlock:\n  jobs:\n    a-b:\n      run: { worker: remote }\n      lease: 30s\n      stages: [z]\n",
                Map.of("INTERLOCK_JOBS_A_B_LEASE", "10s", "INTERLOCK_JOBS_A_B_STAGES", "x,y"));
        assertThat(Written.job(all, "a-b").job().terms().ttl()).isEqualTo(Duration.ofSeconds(10));
        assertThat(Written.job(all, "a-b").job().stages().keySet()).containsExactly("x", "y");
    }

    @Test
    void variablesThatSetNothingAreLeftAloneAndThoseThatLookWrongAreTold() {
        Configuration all = Configuration.read(new Given(
                List.of(),
                Map.of("INTERLOCK_API_KEY", "x", "INTERLOCK_KEY", "a/b", "INTERLOCK_PROT", "1", "PATH", "/bin"),
                null));
        assertThat(all.settings().listen().port()).isEqualTo(8080);
        assertThat(all.warnings())
                .containsExactly("the variable INTERLOCK_PROT sets nothing; did you mean INTERLOCK_PORT?");
    }

    @Test
    void wordsStayWordsAndADollarIsADollar() {
        Configuration all = written.read("""
                interlock:
                  store: "postgresql://me:a${HOME}b@db/x"
                  jobs:
                    no: { run: { command: [on, off, 0755, "1:30", yes] } }
                  notify:
                    - { on: [overdue], command: [mail] }
                """);
        assertThat(all.settings().store()).isEqualTo("postgresql://me:a${HOME}b@db/x");
        assertThat(((Work.Command) Written.job(all, "no").work()).words())
                .containsExactly("on", "off", "0755", "1:30", "yes");
        assertThat(all.settings().notifications()).hasSize(1);
    }

    @Test
    void jobsMayShareWhatTheyHaveInCommon() {
        Configuration all = written.read("""
                interlock:
                  jobs:
                    a: &usual
                      run: { worker: remote }
                      lease: 10s
                      stages: [x, y]
                    b:
                      <<: *usual
                      lease: 20s
                    c.d: *usual
                """);
        assertThat(Written.job(all, "b").job().terms().ttl()).isEqualTo(Duration.ofSeconds(20));
        assertThat(Written.job(all, "b").job().stages().keySet()).containsExactly("x", "y");
        assertThat(Written.job(all, "c.d").job().terms().ttl()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void noSecretIsShown() {
        Configuration all = written.read("""
                interlock:
                  store: postgresql://me:pass@canary/x@db/x
                  jobs:
                    call: { run: { http: { url: "https://example.org/x?token=canary" } } }
                  notify:
                    - { on: [overdue], url: "https://hooks.example.org/services/canary", secret: whsec_canary }
                """.replace("pass@canary/x", "canary"));
        assertThat(all.effective())
                .contains(
                        new EffectiveProperty("interlock.store", "postgresql://me:***@db/x", "interlock.yaml:2"),
                        new EffectiveProperty("interlock.notify[0].secret", "***", "interlock.yaml:6"),
                        new EffectiveProperty(
                                "interlock.notify[0].url", "https://hooks.example.org/***", "interlock.yaml:6"),
                        new EffectiveProperty(
                                "interlock.jobs.call.run.http.url", "https://example.org/x?***", "interlock.yaml:4"));
        assertThat(all.effective().toString()).doesNotContain("canary");
        assertThat(all.settings().toString()).doesNotContain("canary");
        assertThat(all.settings().notifications().toString()).doesNotContain("canary");
        assertThat(all.settings().store()).contains("canary");
    }

    @Test
    void noPasswordOfADriverIsShown() {
        String options = "sslmode=verify-full&sslpassword=canary&keyStorePassword=canary&ApplicationName=app";
        Configuration all = written.read("interlock: { store: 'postgresql://me@db/x?" + options + "' }");
        assertThat(all.effective())
                .contains(new EffectiveProperty(
                        "interlock.store",
                        "postgresql://me@db/x?" + options.replace("canary", "***"),
                        "interlock.yaml:1"));
    }

    @Test
    void theEntriesOfEveryListAreShown() {
        Configuration all = written.read("""
                interlock:
                  auth:
                    oidc:
                      issuer: https://id.example
                      client-id: interlock
                      client-secret: canary
                      grants: [{ value: ops, role: operator }]
                  keys: [{ secret-file: /run/key, role: worker }]
                  jobs: { pay: { api: workflows, run: { worker: remote } } }
                  maintenance: [{ no-start: "Fri 18:00 - Mon 06:00", keys: "pay/*" }]
                  webhooks: [{ trigger: pay, secret: canary }]
                  sqs: [{ queue: "https://sqs.eu-west-1.amazonaws.com/1/a.fifo", job: "{type}", parameters: { id: "{id}" } }]
                """);
        assertThat(all.effective())
                .extracting(EffectiveProperty::name)
                .contains(
                        "interlock.auth.oidc.grants[0].value",
                        "interlock.keys[0].role",
                        "interlock.maintenance[0].keys",
                        "interlock.maintenance[0].tenant",
                        "interlock.webhooks[0].secret",
                        "interlock.sqs[0].queue",
                        "interlock.sqs[0].parameters.id");
        assertThat(all.effective().toString()).doesNotContain("canary");
    }

    @Test
    void theUsualFolderIsForItsOwnerOnly() throws IOException {
        DataFolder usual =
                DataFolder.of(Map.of("XDG_DATA_HOME", folder.resolve("data").toString(), "HOME", "/nowhere"));
        usual.prepareFor("sqlite:elsewhere.db");
        assertThat(folder.resolve("data")).doesNotExist();
        usual.prepareFor(usual.storeUrl());
        assertThat(usual.storeUrl()).isEqualTo("sqlite:" + folder.resolve("data/interlock/interlock.db"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("data/interlock"))))
                .isEqualTo("rwx------");
        usual.prepareFor(usual.storeUrl());
    }

    @Test
    void aFolderThatCannotBeMadeIsRefused() {
        written.file("taken", "");
        DataFolder usual =
                DataFolder.of(Map.of("XDG_DATA_HOME", folder.resolve("taken").toString()));
        assertThatThrownBy(() -> usual.prepareFor(usual.storeUrl()))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("--store sqlite:PATH");
    }

    @Test
    void aFileThatIsNoYamlOrNotThereIsRefused() {
        assertThatThrownBy(() -> written.read("interlock:\n  port: [1\n"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("interlock.yaml:3");
        assertThatThrownBy(() -> written.read("interlock: &a\n  x: [*a]\n"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("more than 20 levels");
        assertThatThrownBy(() -> Configuration.read(new Given(List.of(), Map.of(), folder.resolve("gone.yaml"))))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("cannot be read");
    }

    @Test
    void anEmptyFileSetsNothing() {
        assertThat(written.read("").settings().jobs()).isEmpty();
        assertThat(written.read("interlock:\n  jobs:\n").settings().jobs()).isEmpty();
    }
}
