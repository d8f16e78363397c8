package io.interlock.spi.run.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.spi.run.rules.SubmitRules.Admission;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdmissionTest {

    @ParameterizedTest
    @CsvSource(textBlock = """
            # policy      free    run there  busy without a run  wrong state  wrong and busy
            REJECT,       START,  REFUSE,        REFUSE,         REFUSE_STATE, REFUSE_STATE
            SKIP,         START,  REFUSE,        REFUSE,         REFUSE_STATE, REFUSE_STATE
            JOIN,         START,  JOIN,          REFUSE,         REFUSE_STATE, REFUSE_STATE
            QUEUE,        START,  QUEUE,         QUEUE,          REFUSE_STATE, QUEUE
            QUEUE_LATEST, START,  QUEUE_INSTEAD, QUEUE_INSTEAD,  REFUSE_STATE, QUEUE_INSTEAD
            REPLACE,      START,  REPLACE,       REPLACE,        REFUSE_STATE, REFUSE_STATE
            """)
    void everyPolicyInEverySituation(
            ConflictPolicy policy,
            Admission free,
            Admission runThere,
            Admission busyWithoutRun,
            Admission wrongState,
            Admission wrongAndBusy) {
        assertThat(decided(policy, true, false, true)).isEqualTo(free);
        assertThat(decided(policy, false, true, true)).isEqualTo(runThere);
        assertThat(decided(policy, false, false, true)).isEqualTo(busyWithoutRun);
        assertThat(decided(policy, true, false, false)).isEqualTo(wrongState);
        assertThat(decided(policy, false, true, false)).isEqualTo(wrongAndBusy);
        assertThat(decided(policy, false, false, false)).isEqualTo(wrongAndBusy);
    }

    private static Admission decided(ConflictPolicy policy, boolean free, boolean incumbent, boolean rightState) {
        return Admission.of(policy, new Admission.Situation(free, incumbent, rightState));
    }
}
