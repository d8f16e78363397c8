package io.interlock.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.time.Environment;
import io.interlock.time.Ticker;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SessionsTest {

    private final AtomicLong nanos = new AtomicLong();
    private final Ticker ticker = nanos::get;
    private final Environment environment = (Environment) Proxy.newProxyInstance(
            SessionsTest.class.getClassLoader(),
            new Class<?>[] {Environment.class},
            (proxy, method, arguments) ->
                    method.getName().equals("ticker") ? ticker : method.invoke(Environment.system(), arguments));
    private final Sessions sessions = new Sessions(environment);

    @Test
    void aSessionNobodyUsesEnds() {
        String id = sessions.open("ilk_x").id();
        nanos.addAndGet(Sessions.IDLE.toNanos() - 1);
        assertThat(sessions.find(id)).isPresent();
        nanos.addAndGet(Sessions.IDLE.toNanos() - 1);
        assertThat(sessions.find(id)).as("used in between").isPresent();
        nanos.addAndGet(Sessions.IDLE.toNanos());
        assertThat(sessions.find(id)).isEmpty();
    }

    @Test
    void lookingAtASessionDoesNotMakeItLast() {
        String id = sessions.open("ilk_x").id();
        nanos.addAndGet(Sessions.IDLE.toNanos() - 1);
        assertThat(sessions.look(id)).isPresent();
        nanos.addAndGet(1);
        assertThat(sessions.look(id)).isEmpty();
        assertThat(sessions.find(id)).isEmpty();
    }

    @Test
    void aSessionEndsHoweverOftenItIsUsed() {
        String id = sessions.open("ilk_x").id();
        for (long spent = 0; spent < Sessions.LONGEST.toNanos(); spent += Sessions.IDLE.toNanos() / 2) {
            assertThat(sessions.find(id)).isPresent();
            nanos.addAndGet(Sessions.IDLE.toNanos() / 2);
        }
        assertThat(sessions.find(id)).isEmpty();
    }

    @Test
    void aCodeIsForOnceAndForAWhile() {
        String code = sessions.oneTimeCode("ilk_x");
        assertThat(sessions.redeem(code)).contains("ilk_x");
        assertThat(sessions.redeem(code)).isEmpty();
        String late = sessions.oneTimeCode("ilk_x");
        nanos.addAndGet(Sessions.CODE.toNanos());
        assertThat(sessions.redeem(late)).isEmpty();
    }

    @Test
    void thereAreSoManySessionsAndNoMore() {
        String first = sessions.open("ilk_x").id();
        String used = sessions.open("ilk_x").id();
        for (int i = 0; i < 9_999; i++) {
            sessions.find(used);
            sessions.look(first);
            sessions.open("ilk_x");
        }
        assertThat(sessions.find(first)).as("idle the longest").isEmpty();
        assertThat(sessions.find(used)).isPresent();
    }

    @Test
    void aSessionDoesNotSayItsSecrets() {
        Session session = sessions.open("ilk_secret");
        assertThat(session.toString()).doesNotContain("ilk_secret", session.id(), session.csrfToken());
    }
}
