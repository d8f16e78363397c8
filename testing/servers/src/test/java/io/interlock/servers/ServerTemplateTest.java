package io.interlock.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A template is used only as long as all its files are there. */
class ServerTemplateTest {

    @TempDir
    Path folder;

    @Test
    void aTemplateThatACleanerHasTouchedIsMadeAnew() throws IOException {
        ServerTemplate template = new ServerTemplate(folder.resolve("template"));
        assertThat(template.isWhole()).isFalse();
        template.keep(made("first"));
        assertThat(template.isWhole()).isTrue();
        Files.delete(template.folder().resolve("base/1"));
        assertThat(template.isWhole()).isFalse();
        template.keep(made("second"));
        assertThat(template.isWhole()).isTrue();
        assertThat(template.folder().resolve("base/1")).hasContent("second");
    }

    @Test
    void theFirstOfSeveralProcessesWins() throws IOException {
        ServerTemplate template = new ServerTemplate(folder.resolve("template"));
        template.keep(made("first"));
        Path late = made("second");
        template.keep(late);
        assertThat(template.folder().resolve("base/1")).hasContent("first");
        assertThat(late).doesNotExist();
        template.copyTo(Files.createDirectory(folder.resolve("copy")));
        assertThat(folder.resolve("copy/base/1")).hasContent("first");
    }

    private Path made(String content) throws IOException {
        Path made = Files.createTempDirectory(folder, "made");
        Files.writeString(Files.createDirectory(made.resolve("base")).resolve("1"), content);
        return made;
    }
}
