package io.interlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class RunStateTest {

    private static final Pattern ARROW = Pattern.compile("^ +(\\w+|\\[\\*]) --> (\\w+|\\[\\*])", Pattern.MULTILINE);

    @Test
    void isDrawnAsItIs() throws IOException {
        Set<String> drawn = new TreeSet<>();
        Matcher arrows = ARROW.matcher(Files.readString(Path.of("..", "docs", "run-lifecycle.md")));
        while (arrows.find()) {
            if (!arrows.group(1).equals("[*]")) {
                drawn.add(arrows.group(1) + " -> " + arrows.group(2));
            }
        }
        Set<String> coded = new TreeSet<>();
        for (RunState from : RunState.values()) {
            if (from.isTerminal()) {
                coded.add(from + " -> [*]");
            }
            for (RunState to : RunState.values()) {
                if (from.canBecome(to)) {
                    coded.add(from + " -> " + to);
                }
            }
        }
        assertThat(drawn).isEqualTo(coded);
    }

    @Test
    void anEndingNeverChanges() {
        for (RunState from : RunState.values()) {
            for (RunState to : RunState.values()) {
                assertThat(from.isTerminal() && from.canBecome(to)).isFalse();
            }
            assertThat(from.canBecome(from)).isFalse();
        }
    }
}
