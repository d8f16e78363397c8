package samples.broken;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** Broken: a whole class switched off without a word. */
@Disabled
class DisabledTest {
    @Test
    void neverRuns() {}
}
