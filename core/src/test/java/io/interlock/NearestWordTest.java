package io.interlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestWordTest {

    private static final List<String> KNOWN = List.of("locks", "runs", "run", "stage", "store", "ls");

    @Test
    void aSlipOfThePenIsUnderstood() {
        assertThat(NearestWord.to("stroe", KNOWN)).contains("store");
        assertThat(NearestWord.to("LOKS", KNOWN)).contains("locks");
        assertThat(NearestWord.to("runn", KNOWN)).contains("run");
        assertThat(NearestWord.to("interlock_stoer", List.of("interlock_store", "interlock_host")))
                .contains("interlock_store");
    }

    @Test
    void whatHasNothingInCommonIsNoGuess() {
        assertThat(NearestWord.to("xy", KNOWN)).isEmpty();
        assertThat(NearestWord.to("frobnicate", KNOWN)).isEmpty();
        assertThat(NearestWord.to("", KNOWN)).isEmpty();
        assertThat(NearestWord.to("runs", List.of())).isEmpty();
    }
}
