package io.interlock.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunStatus;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunTextTest {

    @Test
    void whatWasAskedForComesBackAsItWas() {
        RandomRuns random = new RandomRuns(new Random(4711));
        for (int i = 0; i < 2000; i++) {
            SpecText text = new SpecText(random.spec(), random.line());
            assertThat(SpecText.read(text.write())).isEqualTo(text);
        }
    }

    @Test
    void whereARunStandsComesBackAsItWas() {
        RandomRuns random = new RandomRuns(new Random(4712));
        for (int i = 0; i < 2000; i++) {
            RunStatus status = random.status();
            RunId id = random.idOf(status);
            assertThat(StatusText.read(id, StatusText.write(id, status), status.state(), status.since()))
                    .isEqualTo(status);
        }
    }

    @Test
    void everyFactIsOneLine() {
        FieldText text = new FieldText()
                .put("said", "a\\b\nc\r\u2028\u0000\ud800=é\uD83D\uDE80")
                .put("nothing", null);
        assertThat(text).hasToString("said=a\\\\b\\u000ac\\u000d\\u2028\\u0000\\ud800=é\uD83D\uDE80\n");
        assertThat(FieldText.parse(text.toString()).need("said"))
                .isEqualTo("a\\b\nc\r\u2028\u0000\ud800=é\uD83D\uDE80");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    job=load           |                    | lacks job
                    priority=7         | priority=high      | high
                    priority=7         | priority=-101      | from -100 to 100
                    policy=SKIP        | policy=PERHAPS     | PERHAPS
                    ttl=30             | ttl=30~later=1     | does not know: [later]
                    ttl=30             | ttl=30~ttl=9       | has 2 times ttl
                    parameters=[]      | parameters=[\\x    | broken escape
                    parameters=[]      | parameters         | is no fact
                    """)
    void whatCannotBeUnderstoodIsRefused(String line, String instead, String why) {
        String written = new SpecText(
                        RunSpec.of(new JobName("load"), "alice")
                                .policy(ConflictPolicy.SKIP)
                                .priority(7)
                                .parameters("[]"),
                        LineLimits.NONE)
                .write();
        assertThat(written).contains(line + "\n");
        String wrong = written.replace(line + "\n", instead == null ? "" : instead.replace('~', '\n') + "\n");
        assertThatThrownBy(() -> SpecText.read(wrong)).hasMessageContaining(why);
    }
}
