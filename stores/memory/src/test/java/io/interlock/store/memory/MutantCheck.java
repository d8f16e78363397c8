package io.interlock.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A contract on a wrong store: it must fail a case and pass others. It ends when both are shown. Thread-safe. */
final class MutantCheck implements TestExecutionListener {

    private final CancellationToken token = CancellationToken.create();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger passed = new AtomicInteger();
    private final int passing;

    private MutantCheck(int passing) {
        this.passing = passing;
    }

    /** Fails unless {@code contract} notices the mutant under test, and more than {@code passing} of its cases do not care about it. */
    static void isCaught(Enum<?> mutant, Class<?> contract, int passing, String... excludedTags) {
        MutantCheck check = new MutantCheck(passing);
        LauncherFactory.create()
                .execute(LauncherExecutionRequestBuilder.request(LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(contract))
                                .filters(TagFilter.excludeTags(excludedTags))
                                .build())
                        .listeners(check)
                        .cancellationToken(check.token)
                        .build());
        assertThat(check.failed.get()).as("cases that notice %s", mutant).isPositive();
        assertThat(check.passed.get())
                .as("cases that do not care about %s", mutant)
                .isGreaterThan(passing);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest()) {
            if (result.getStatus() == Status.FAILED) {
                failed.incrementAndGet();
            } else if (result.getStatus() == Status.SUCCESSFUL) {
                passed.incrementAndGet();
            }
            if (failed.get() > 0 && passed.get() > passing) {
                token.cancel();
            }
        }
    }
}
