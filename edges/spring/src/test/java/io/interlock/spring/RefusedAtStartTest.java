package io.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.interlock.locks.Locks;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What cannot work keeps the application from starting, and the message names method, value and next step. */
class RefusedAtStartTest {

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of(PrivateMethod.class, List.of("PrivateMethod.run", "is private", "public method")),
                Arguments.of(StaticMethod.class, List.of("StaticMethod.run", "is static")),
                Arguments.of(FinalMethod.class, List.of("FinalMethod.run", "is final")),
                Arguments.of(FinalClass.class, List.of("FinalClass.run", "is in a final class")),
                Arguments.of(Primitive.class, List.of("Primitive.run", "returns int", "Optional", "REJECT")),
                Arguments.of(Later.class, List.of("Later.run", "CompletableFuture", "acquireAsync")),
                Arguments.of(Reactive.class, List.of("Reactive.run", "Flow$Publisher", "acquireAsync")),
                Arguments.of(NoKey.class, List.of("NoKey.run", "is empty")),
                Arguments.of(BadExpression.class, List.of("BadExpression.run", "'a' +", "SpEL")),
                Arguments.of(UnknownArgument.class, List.of("UnknownArgument.run", "#tennant", "tenant", "#p0")),
                Arguments.of(BadTime.class, List.of("BadTime.run", "lease", "soon")),
                Arguments.of(ShortLease.class, List.of("ShortLease.run", "1s", "2s")),
                Arguments.of(LongLease.class, List.of("LongLease.run", "1h", "maxLease")),
                Arguments.of(ShortRuntime.class, List.of("ShortRuntime.run", "5s", "30s")),
                Arguments.of(CallsItself.class, List.of("CallsItself.run", "outside", "another bean")),
                Arguments.of(CallsItselfInLambda.class, List.of("CallsItselfInLambda.run", "outside")),
                Arguments.of(PassesItselfOn.class, List.of("PassesItselfOn.run", "outside")));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsRefused(Class<?> bean, List<String> told) {
        Throwable failure = catchThrowable(() -> start(bean));
        while (failure != null && !(failure instanceof InvalidExclusiveRunException)) {
            failure = failure.getCause();
        }
        assertThat(failure).isInstanceOfSatisfying(InvalidExclusiveRunException.class, invalid -> {
            assertThat(invalid.getMessage()).contains(told);
            assertThat(invalid).hasMessageMatching("(?s).+; \\S.+");
        });
    }

    @Test
    void callsThatMayGoThroughTheProxyAreAllowed() {
        assertThatCode(() -> start(CallsItsProxy.class)).doesNotThrowAnyException();
        assertThatCode(() -> start(CallsUnderTheSameKey.class)).doesNotThrowAnyException();
    }

    private static void start(Class<?> bean) {
        new AnnotationConfigApplicationContext(Application.class, bean).close();
    }

    @Configuration
    @EnableExclusiveRun
    static class Application {

        @Bean
        Locks locks() {
            return Locks.open("memory:");
        }
    }

    static class PrivateMethod {
        @ExclusiveRun(key = "k")
        private void run() {}

        Runnable use() {
            return this::run;
        }
    }

    static class StaticMethod {
        @ExclusiveRun(key = "k")
        public static void run() {}
    }

    static class FinalMethod {
        @ExclusiveRun(key = "k")
        public final void run() {}
    }

    static final class FinalClass {
        @ExclusiveRun(key = "k")
        public void run() {}
    }

    static class Primitive {
        @ExclusiveRun(key = "k")
        public int run() {
            return 1;
        }
    }

    static class Later {
        @ExclusiveRun(key = "k")
        public @Nullable CompletableFuture<String> run() {
            return null;
        }
    }

    static class Reactive {
        @ExclusiveRun(key = "k")
        public Flow.@Nullable Publisher<String> run() {
            return null;
        }
    }

    static class NoKey {
        @ExclusiveRun(key = "${nothing:}")
        public void run() {}
    }

    static class BadExpression {
        @ExclusiveRun(key = "'a' +")
        public void run() {}
    }

    static class UnknownArgument {
        @ExclusiveRun(key = "'a/' + #tennant")
        public void run(String tenant) {}
    }

    static class BadTime {
        @ExclusiveRun(key = "k", lease = "soon")
        public void run() {}
    }

    static class ShortLease {
        @ExclusiveRun(key = "k", lease = "1s")
        public void run() {}
    }

    static class LongLease {
        @ExclusiveRun(key = "k", lease = "1h")
        public void run() {}
    }

    static class ShortRuntime {
        @ExclusiveRun(key = "k", maxRuntime = "5s")
        public void run() {}
    }

    static class CallsItself {
        @ExclusiveRun(key = "k")
        public void run(String argument) {}

        public void outside() {
            run("x" + hashCode());
        }
    }

    static class CallsItselfInLambda {
        @ExclusiveRun(key = "k")
        public @Nullable String run(String argument) {
            return argument;
        }

        public Callable<@Nullable String> outside(String argument) {
            return () -> run(argument);
        }
    }

    static class PassesItselfOn {
        @ExclusiveRun(key = "k")
        public void run() {}

        public Runnable outside() {
            return this::run;
        }
    }

    static class CallsItsProxy {
        private final ObjectProvider<CallsItsProxy> self;

        CallsItsProxy(ObjectProvider<CallsItsProxy> self) {
            this.self = self;
        }

        @ExclusiveRun(key = "k")
        public void run() {}

        public void outside() {
            self.getObject().run();
        }
    }

    static class CallsUnderTheSameKey {
        @ExclusiveRun(key = "k")
        public void run() {}

        @ExclusiveRun(key = "k")
        public void outside() {
            run();
        }
    }
}
