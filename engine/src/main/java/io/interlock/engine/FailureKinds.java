package io.interlock.engine;

import io.interlock.InvalidSettingException;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which exceptions of a job's work mend themselves, and which do not. The class nearest to the one thrown decides; whatever
 * is not named counts as passing.
 *
 * @param permanent those no further attempt would mend
 * @param passing those a further attempt may mend
 */
public record FailureKinds(Set<Class<? extends Throwable>> permanent, Set<Class<? extends Throwable>> passing) {

    /** Checks that no class is named as both. */
    public FailureKinds {
        permanent = Set.copyOf(permanent);
        passing = Set.copyOf(passing);
        permanent.stream().filter(passing::contains).findFirst().ifPresent(both -> {
            throw new InvalidSettingException(
                    "failures", both.getName(), "is named both as permanent and as passing", "name it once");
        });
    }

    /** Whether another attempt may mend {@code failure}. */
    public boolean mayPass(Throwable failure) {
        Optional<Class<? extends Throwable>> nearest = Stream.concat(permanent.stream(), passing.stream())
                .filter(named -> named.isInstance(failure))
                .min(Comparator.comparingInt(named -> steps(failure.getClass(), named)));
        return nearest.isEmpty() || passing.contains(nearest.get());
    }

    private static int steps(Class<?> from, Class<?> to) {
        int steps = 0;
        for (Class<?> each = from; each != null && !each.equals(to); each = each.getSuperclass()) {
            steps++;
        }
        return steps;
    }
}
