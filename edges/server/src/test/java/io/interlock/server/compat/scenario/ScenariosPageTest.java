package io.interlock.server.compat.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.server.ProjectPage;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page about scenarios names every one of them, and no other. */
class ScenariosPageTest {

    private static final Pattern NAMED = Pattern.compile("`(\\w+Test#\\w+)`");

    @Test
    void everyScenarioIsOnThePage() {
        List<String> named = NAMED.matcher(ProjectPage.read("docs/compat/scenarios.md"))
                .results()
                .map(found -> found.group(1))
                .toList();
        List<String> written = Stream.of(
                        PipelineScenariosTest.class,
                        FlowScenariosTest.class,
                        IngestionGuaranteesTest.class,
                        WorkflowChecksTest.class,
                        ClusterScenariosTest.class)
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods())
                        .filter(method -> method.isAnnotationPresent(Test.class))
                        .map(method -> type.getSimpleName() + "#" + method.getName()))
                .toList();
        assertThat(named).containsExactlyInAnyOrderElementsOf(written);
    }
}
