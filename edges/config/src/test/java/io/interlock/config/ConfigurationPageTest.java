package io.interlock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The list of properties in the documentation equals the list in the code, and its examples are accepted. Run with -Dpages=write to
 * regenerate the list.
 */
class ConfigurationPageTest {

    private static final Pattern BLOCK =
            Pattern.compile("(?ms)^<!-- run by: ConfigurationPageTest -->\n```yaml\n(.*?)^```$");
    private static final String HEAD = "| property, below `interlock.` | default | meaning |\n|---|---|---|\n";

    @Test
    void thePageOfTheConfigurationListsEveryProperty() throws IOException {
        Path file = root().resolve("docs/configuration.md");
        String page = Files.readString(file);
        int begin = page.indexOf(HEAD);
        assertThat(begin).as("the header of the table").isPositive();
        String wanted = page.substring(0, begin)
                + HEAD
                + Settings.ALL.stream().map(ConfigurationPageTest::row).collect(Collectors.joining());
        if ("write".equals(System.getProperty("pages"))) {
            Files.writeString(file, wanted);
        }
        assertThat(Files.readString(file))
                .as("to regenerate it: mvn -pl edges/config -am test -Dpages=write")
                .isEqualTo(wanted);
    }

    @Test
    void theExamplesOfThePagesAreAccepted(@TempDir Path folder) throws IOException {
        Written written = new Written(folder);
        Path secret = written.file("hook", "0123456789abcdef0123456789abcdef");
        JobSettings export = Written.job(
                written.read(example("docs/configuration.md", 0).replace("/run/secrets/hook", secret.toString())),
                "gcp_billing_export");
        assertThat(export.job().stages()).containsOnlyKeys("extract", "transform", "load");
        assertThat(written.read(example("docs/sqs.md", 0)).settings().sqs()).hasSize(1);
        String form = example("docs/sqs.md", 1).indent(2).replace("# parameters", "parameters");
        SqsSettings sqs = written.read("interlock:\n" + form).settings().sqs().get(0);
        assertThat(sqs.messages()).isNotEqualTo(SqsSettings.Messages.OWN);
    }

    /** A block that a page says this test runs, counted from 0. */
    private static String example(String page, int index) throws IOException {
        return BLOCK.matcher(Files.readString(root().resolve(page)))
                .results()
                .toList()
                .get(index)
                .group(1);
    }

    private static String row(Settings.Setting setting) {
        String choices = setting.choices().isEmpty() ? "" : " (" + String.join(", ", setting.choices()) + ")";
        String otherwise = setting.otherwise() == null ? "" : "`" + setting.otherwise() + "`";
        return "| `" + setting.name() + "` | " + otherwise + " | " + setting.about() + choices + " |\n";
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(".mvn"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new IllegalStateException("no folder with .mvn above");
            }
        }
        return folder;
    }
}
