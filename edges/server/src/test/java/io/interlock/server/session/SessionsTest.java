package io.interlock.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.server.session.Sessions.Session;
import io.interlock.time.Environment;
import org.junit.jupiter.api.Test;

/** How many sessions there may be, and whose end. */
class SessionsTest {

    private final Sessions sessions = new Sessions(Environment.system());

    @Test
    void whoSignsInVeryOftenPushesOutNoOther() {
        Session mine = sessions.open("ilk_mine");
        Session first = sessions.open("ilk_often");
        Session last = first;
        for (int i = 0; i < 10_050; i++) {
            last = sessions.open("ilk_often");
        }
        assertThat(sessions.look(mine.id())).contains(mine);
        assertThat(sessions.look(last.id())).contains(last);
        assertThat(sessions.look(first.id())).isEmpty();
    }

    @Test
    void ofManyKeysTheOneWithTheMostSessionsMakesRoom() {
        Sessions few = new Sessions(Environment.system(), 20);
        Session mine = few.open("ilk_mine");
        Session often = few.open("ilk_often");
        for (int i = 0; i < 18; i++) {
            few.open("ilk_often");
        }
        Session late = few.open("ilk_late");
        assertThat(few.look(mine.id())).contains(mine);
        assertThat(few.look(late.id())).contains(late);
        assertThat(few.look(often.id())).isEmpty();
    }
}
