package io.interlock.spring.boot;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockKey;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import io.interlock.servers.MariaDbServer;
import io.interlock.servers.PostgresServer;
import io.interlock.spring.CurrentLease;
import io.interlock.spring.ExclusiveRun;
import io.interlock.spring.LostLeaseRollback;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.actuate.endpoint.AdditionalHealthEndpointPath;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.yaml.snakeyaml.Yaml;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StarterTest {

    private static final LockKey KEY = LockKey.of("nightly");

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    InterlockAutoConfiguration.class,
                    InterlockActuatorAutoConfiguration.class,
                    TransactionManagerCustomizationAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    DataSourceAutoConfiguration.class))
            .withBean(Job.class);

    @Test
    void thePropertiesAsTextHaveNoPassword() {
        String text = new InterlockProperties(
                        true,
                        "postgresql://app:s3cret@host/db",
                        new InterlockProperties.Server("https://locks.example", "s3cret", null),
                        Map.of("sslpassword", "s3cret"),
                        "acme",
                        Duration.ofSeconds(30),
                        Duration.ZERO,
                        null,
                        Duration.ofSeconds(25),
                        false)
                .toString();
        assertThat(text).contains("acme").doesNotContain("s3cret");
    }

    @Test
    void theDatabaseIsTheOneOfTheDataSource(@TempDir Path folder) {
        onDatabase("jdbc:sqlite:" + folder.resolve("app.db") + "?busy_timeout=100", "", "");
        PostgresServer postgres = PostgresServer.shared();
        onDatabase("jdbc:postgresql://localhost:" + postgres.port() + "/postgres", "postgres", "postgres");
        postgres.execute("DROP SCHEMA IF EXISTS starter CASCADE", "CREATE SCHEMA starter");
        onDatabase(
                "jdbc:postgresql://localhost:" + postgres.port() + "/postgres?currentSchema=starter",
                "postgres",
                "postgres");
        assertThat(postgres.ask("SELECT count(*) FROM pg_tables WHERE schemaname = 'starter'"))
                .isNotEqualTo("0");
    }

    @Test
    void mariaDbIsRecognised() {
        Assumptions.assumeTrue(MariaDbServer.isAvailable(), "no MariaDB");
        MariaDbServer server = MariaDbServer.shared();
        onDatabase(server.jdbcUrl(MariaDbServer.DATABASE), "root", "");
    }

    private void onDatabase(String url, String user, String password) {
        application
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "spring.datasource.username=" + user,
                        "spring.datasource.password=" + password,
                        "spring.datasource.hikari.maximum-pool-size=1")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    // The application has used up its pool; leases do not care.
                    try (var used = context.getBean(DataSource.class).getConnection()) {
                        assertThat(used).isNotNull();
                        assertThat(context.getBean(Job.class).run()).isEqualTo("ran");
                    }
                    assertThat(context.getBean(Locks.class).find(KEY)).isEmpty();
                    assertThat(((ConfigurableTransactionManager) context.getBean(TransactionManager.class))
                                    .getTransactionExecutionListeners())
                            .hasAtLeastOneElementOfType(LostLeaseRollback.class);
                });
    }

    @Test
    void anotherDatabaseIsRefusedWithTheNextStep() {
        application
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:starter;USER=x")
                .run(context -> {
                    assertThat(context).hasFailed();
                    FailureAnalysis analysis = analysis(context.getStartupFailure());
                    assertThat(analysis.getDescription())
                            .contains("jdbc:h2:mem:starter")
                            .doesNotContain("USER");
                    assertThat(analysis.getAction()).contains("interlock.store", "@WithFakeLocks");
                });
    }

    @Test
    void withoutADatabaseTheStoreMustBeNamed() {
        ApplicationContextRunner bare = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
                .withBean(Job.class);
        bare.run(context ->
                assertThat(analysis(context.getStartupFailure()).getAction()).contains("interlock.store"));
        bare.withPropertyValues("interlock.store=memory:")
                .run(context -> assertThat(context.getBean(Job.class).run()).isEqualTo("ran"));
        bare.withPropertyValues("interlock.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(Locks.class));
        bare.withPropertyValues("interlock.store=memory:", "interlock.lease=1s")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("1s", "2s"));
    }

    @Test
    void everyPropertyIsDescribedToEditorsAndOnThePage() throws IOException {
        Map<?, ?> metadata;
        try (InputStream in = requireNonNull(
                InterlockProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            // JSON is YAML, but for an escape that only JSON has.
            metadata = new Yaml().load(new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\\/", "/"));
        }
        String page = Files.readString(Path.of("../../docs/spring.md"));
        assertThat((List<?>) requireNonNull(metadata.get("properties")))
                .hasSizeGreaterThan(10)
                .allSatisfy(each -> {
                    Map<?, ?> property = (Map<?, ?>) each;
                    assertThat(property.get("description")).as("%s", property).isNotNull();
                    String name = String.valueOf(property.get("name"));
                    assertThat(page.contains("| `" + name) || name.startsWith("management."))
                            .as("docs/spring.md has %s", name)
                            .isTrue();
                });
    }

    @Test
    void aMethodThatCannotBeGuardedIsExplained() {
        application
                .withPropertyValues("interlock.store=memory:")
                .withBean(Wrong.class)
                .run(context -> {
                    FailureAnalysis analysis = analysis(context.getStartupFailure());
                    assertThat(analysis.getDescription()).contains("Wrong.count", "returns long");
                    assertThat(analysis.getAction()).contains("Optional", "REJECT");
                });
    }

    @Test
    void passwordsAndTlsOfTheDataSourceArePassedOn() {
        assertThat(DataSourceUrl.ofServer(
                        "postgresql",
                        "jdbc:postgresql://a:1,b:2/db?ssl=true&sslrootcert=/c.pem&currentSchema=app,public&tcpKeepAlive=true",
                        "me@x",
                        "p/w:d",
                        Map.of("prefix", "job_")))
                .startsWith("postgresql://me%40x:p%2Fw%3Ad@a:1,b:2/db?")
                .contains("sslmode=verify-full", "sslrootcert=%2Fc.pem", "schema=app", "prefix=job_")
                .doesNotContain("tcpKeepAlive");
        assertThat(DataSourceUrl.ofServer(
                        "mariadb", "jdbc:mariadb://h/db?sslMode=trust&user=u&password=p", null, null, Map.of()))
                .isEqualTo("mariadb://u:p@h/db?sslMode=trust");
    }

    @Test
    void aDataSourceThatHidesItsPasswordIsRefused() {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(new JdbcDataSource());
        try (pool) {
            assertThatThrownBy(() -> DataSourceUrl.of(pool, Map.of())).hasMessageContaining("interlock.store");
        }
    }

    @Test
    void metersAreThoseOfTheMetricsModule() {
        application
                .withPropertyValues("interlock.store=memory:")
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    context.getBean(Job.class).run();
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    assertThat(registry.get("interlock.lease.acquisitions")
                                    .tag("outcome", "granted")
                                    .counter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(registry.get("interlock.store.operation").timers())
                            .isNotEmpty();
                });
    }

    @Test
    void theEndpointShowsWhoHoldsWhat() {
        application
                .withPropertyValues(
                        "interlock.store=memory:",
                        "interlock.tenant=acme",
                        "management.endpoints.web.exposure.include=locks")
                .run(context -> {
                    LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
                    Locks locks = context.getBean(Locks.class);
                    try (Lease lease =
                            locks.tryAcquire(LockKey.of("acme", "ledger/1")).orElseThrow()) {
                        LocksEndpoint.Page page = endpoint.locks("ledger/", null, null);
                        assertThat(page.locks()).hasSize(1);
                        LocksEndpoint.Held held = page.locks().get(0);
                        assertThat(held.key()).isEqualTo("ledger/1");
                        assertThat(held.token()).isEqualTo(lease.token().toString());
                        assertThat(page.toString()).doesNotContain(lease.id().toString());
                        assertThat(endpoint.locks(null, "ledger/1", 10).locks()).isEmpty();
                    }
                });
    }

    @Test
    void aStoreThatIsAwayIsNotReadyButAlive() {
        PostgresServer server = PostgresServer.start(PostgresServer.DURABLE);
        try (server) {
            application
                    .withPropertyValues("interlock.store=" + server.url("timeout=1s"))
                    .run(context -> {
                        HealthIndicator health = context.getBean(HealthIndicator.class);
                        assertThat(requireNonNull(health.health()).getStatus()).isEqualTo(Status.UP);
                        server.stop();
                        assertThat(requireNonNull(health.health()).getStatus()).isEqualTo(Status.DOWN);
                        HealthEndpointGroups groups = context.getBean(HealthEndpointGroupsPostProcessor.class)
                                .postProcessHealthEndpointGroups(HealthEndpointGroups.of(
                                        new Group(true),
                                        Map.of("readiness", new Group(false), "liveness", new Group(true))));
                        assertThat(requireNonNull(groups.get("readiness")).isMember("interlock"))
                                .isTrue();
                        assertThat(requireNonNull(groups.get("liveness")).isMember("interlock"))
                                .isFalse();
                        assertThat(requireNonNull(groups.get("liveness")).isMember("db"))
                                .isTrue();
                        assertThat(groups.getNames()).isEqualTo(Set.of("readiness", "liveness"));
                    });
        }
    }

    @Test
    void theShutdownWaitsForAMethodThatRuns() {
        application
                .withConfiguration(AutoConfigurations.of(TaskSchedulingAutoConfiguration.class))
                .withPropertyValues("interlock.store=memory:")
                .withUserConfiguration(Scheduling.class)
                .withBean(Slow.class)
                .run(context -> {
                    Slow slow = context.getBean(Slow.class);
                    assertThat(slow.started().await(20, TimeUnit.SECONDS)).isTrue();
                    assertThat(context.getBean(Locks.class).find(LockKey.of("slow")))
                            .isPresent();
                    context.getSourceApplicationContext(AnnotationConfigApplicationContext.class)
                            .close();
                    assertThat(slow.endedWell()).isTrue();
                });
    }

    private static FailureAnalysis analysis(@Nullable Throwable failure) {
        return requireNonNull(new InterlockFailureAnalyzer().analyze(requireNonNull(failure)));
    }

    static class Job {

        @ExclusiveRun(key = "nightly")
        public String run() {
            return CurrentLease.get().isPresent() ? "ran" : "no lease";
        }
    }

    static class Wrong {

        @ExclusiveRun(key = "k")
        public long count() {
            return 1;
        }
    }

    @Configuration
    @EnableScheduling
    static class Scheduling {}

    static class Slow implements ApplicationListener<ContextClosedEvent> {

        private final CountDownLatch started = new CountDownLatch(1);
        private final CountDownLatch closing = new CountDownLatch(1);
        private volatile boolean endedWell;

        @Scheduled(fixedDelay = 1000)
        @ExclusiveRun(key = "slow")
        public void run() throws InterruptedException {
            started.countDown();
            closing.await();
            endedWell = CurrentLease.get().orElseThrow().isHeld();
        }

        @Override
        public void onApplicationEvent(ContextClosedEvent event) {
            closing.countDown();
        }

        public CountDownLatch started() {
            return started;
        }

        public boolean endedWell() {
            return endedWell;
        }
    }

    /** A group with all members or none. */
    private record Group(boolean all) implements HealthEndpointGroup {

        @Override
        public boolean isMember(String name) {
            return all;
        }

        @Override
        public boolean showComponents(SecurityContext security) {
            return true;
        }

        @Override
        public boolean showDetails(SecurityContext security) {
            return true;
        }

        @Override
        public StatusAggregator getStatusAggregator() {
            return StatusAggregator.getDefault();
        }

        @Override
        public HttpCodeStatusMapper getHttpCodeStatusMapper() {
            return HttpCodeStatusMapper.getDefault();
        }

        @Override
        public @Nullable AdditionalHealthEndpointPath getAdditionalPath() {
            return null;
        }
    }
}
