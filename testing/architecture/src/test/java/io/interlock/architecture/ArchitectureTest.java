package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the rules against the code of all modules, and against samples that keep and break them. */
class ArchitectureTest {

    private static final String ROOT = "io.interlock";

    @ParameterizedTest
    @MethodSource("io.interlock.architecture.Rule#ofMainCode")
    void mainCodeKeepsTheRule(Rule rule) {
        rule.below().apply(ROOT).check(CompiledCode.main());
    }

    @ParameterizedTest
    @MethodSource("io.interlock.architecture.Rule#ofTests")
    void testsKeepTheRule(Rule rule) {
        rule.below().apply(ROOT).check(CompiledCode.tests());
    }

    @Test
    void allPackagesAreNullMarked() {
        new CodeRules(ROOT).packagesAreNullMarked().check(CompiledCode.all());
    }

    @Test
    void contractTestsKeepTheRulesOfTests() {
        Rule.ofTests().forEach(rule -> rule.below().apply(ROOT + ".tck").check(CompiledCode.mainOf("testing/tck")));
    }

    @ParameterizedTest
    @MethodSource("allRules")
    void theGoodSamplePasses(Rule rule) {
        rule.below().apply("samples.good").check(CompiledCode.sample("samples.good"));
    }

    @ParameterizedTest
    @MethodSource("allRules")
    void theBrokenSampleIsFoundOut(Rule rule) {
        List<String> found = violations(rule);
        for (String culprit : rule.culprits()) {
            assertThat(found).as("violations of: %s", rule).anyMatch(violation -> violation.contains(culprit));
        }
    }

    @Test
    void theTimeRuleFindsEveryWayToReachForTheJvm() {
        JavaClass thief = CompiledCode.sample("samples.broken").get("samples.broken.TimeThief");
        List<String> found = violations(Rule.ofMainCode()
                .filter(rule -> rule.name().startsWith("time"))
                .findFirst()
                .orElseThrow());
        assertThat(thief.getMethods()).hasSizeGreaterThan(25).allSatisfy(method -> {
            if (!method.getName().startsWith("lambda$")) {
                assertThat(found).anyMatch(violation -> violation.contains("TimeThief." + method.getName() + "("));
            }
        });
    }

    @Test
    void theRulesLookAtAllModules() {
        Map<String, String> packages = Map.ofEntries(
                Map.entry("core", "io.interlock"),
                Map.entry("locks", "io.interlock.locks"),
                Map.entry("engine", "io.interlock.engine"),
                Map.entry("service", "io.interlock.service"),
                Map.entry("testing/tck", "io.interlock.tck"),
                Map.entry("testing/benchmark", "io.interlock.benchmark"),
                Map.entry("stores/memory", "io.interlock.store.memory"),
                Map.entry("stores/sql", "io.interlock.store.sql"),
                Map.entry("stores/sqlite", "io.interlock.store.sqlite"),
                Map.entry("stores/postgres", "io.interlock.store.postgres"),
                Map.entry("stores/mariadb", "io.interlock.store.mariadb"),
                Map.entry("stores/redis", "io.interlock.store.redis"),
                Map.entry("stores/document", "io.interlock.store.document"),
                Map.entry("stores/etcd", "io.interlock.store.etcd"),
                Map.entry("stores/firestore", "io.interlock.store.firestore"),
                Map.entry("edges/metrics", "io.interlock.metrics"),
                Map.entry("edges/tracing", "io.interlock.tracing"),
                Map.entry("edges/config", "io.interlock.config"),
                Map.entry("edges/ui", "io.interlock.ui"),
                Map.entry("edges/server", "io.interlock.server"),
                Map.entry("edges/client", "io.interlock.client"),
                Map.entry("edges/cli", "io.interlock.cli"),
                Map.entry("edges/sqs", "io.interlock.sqs"),
                Map.entry("edges/spring", "io.interlock.spring"),
                Map.entry("edges/spring-boot-starter", "io.interlock.spring.boot"),
                Map.entry("examples/ingestion", "io.interlock.example.ingestion"),
                Map.entry("examples/spring", "io.interlock.example.spring"),
                Map.entry("testing/site", "io.interlock.site"),
                Map.entry("testing/browser", "io.interlock.browser"),
                Map.entry("testing/servers", "io.interlock.servers"),
                Map.entry("testing/storm", "io.interlock.storm"));
        assertThat(packages.keySet()).containsExactlyInAnyOrderElementsOf(SourceTree.mainModules());
        assertThat(CompiledCode.main()).hasSizeGreaterThan(50);
        Set<String> looked =
                CompiledCode.main().stream().map(JavaClass::getName).collect(Collectors.toSet());
        packages.forEach((module, name) -> {
            List<String> classes = CompiledCode.namesOf(module);
            assertThat(classes)
                    .as("classes of %s", module)
                    .anyMatch(type -> !type.endsWith("package-info"))
                    .allMatch(type -> type.startsWith(name + "."));
            assertThat(looked).containsAll(classes);
        });
        assertThat(CompiledCode.tests()).extracting(JavaClass::getName).contains(ArchitectureTest.class.getName());
    }

    static Stream<Rule> allRules() {
        return Stream.concat(Rule.ofMainCode(), Rule.ofTests());
    }

    private static List<String> violations(Rule rule) {
        return rule.below()
                .apply("samples.broken")
                .evaluate(CompiledCode.sample("samples.broken"))
                .getFailureReport()
                .getDetails();
    }
}
