package io.interlock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The list of properties in the documentation equals the list in the code. Run with -Dpages=write to regenerate it. */
class ConfigurationPageTest {

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
