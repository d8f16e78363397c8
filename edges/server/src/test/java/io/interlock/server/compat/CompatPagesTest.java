package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.config.Configuration;
import io.interlock.config.Given;
import io.interlock.config.JobSettings;
import io.interlock.server.ProjectPage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the pages of the compatible APIs tell to configure is a configuration. */
class CompatPagesTest {

    private static final Pattern YAML = Pattern.compile("(?ms)^```yaml\\n(.*?)^```");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"pipelines", "flows", "ingestion", "workflows", "clusters"})
    void theExampleIsAConfigurationOfThatDoor(String api) throws Exception {
        Matcher example = YAML.matcher(ProjectPage.read("docs/compat/" + api + ".md"));
        assertThat(example.find()).isTrue();
        Path file = Files.writeString(folder.resolve("interlock.yaml"), example.group(1));
        Configuration configuration = Configuration.read(new Given(List.of(), Map.of("HOME", folder.toString()), file));
        assertThat(configuration.settings().jobs().values())
                .isNotEmpty()
                .extracting(JobSettings::api)
                .allSatisfy(found ->
                        assertThat(found.name().toLowerCase(Locale.ROOT)).isEqualTo(api));
    }
}
