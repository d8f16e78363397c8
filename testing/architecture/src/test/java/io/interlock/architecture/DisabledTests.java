package io.interlock.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.properties.HasAnnotations;
import java.util.stream.Stream;
import org.junit.jupiter.api.Disabled;

/** Finds tests that are disabled without a reason. */
final class DisabledTests {

    private DisabledTests() {}

    /** The names of the class and of those of its methods that are disabled without a reason. */
    static Stream<String> withoutReason(JavaClass test) {
        Stream<String> methods =
                test.getMethods().stream().filter(DisabledTests::isSilent).map(method -> method.getFullName());
        return isSilent(test) ? Stream.concat(Stream.of(test.getName()), methods) : methods;
    }

    private static boolean isSilent(HasAnnotations<?> place) {
        return place.tryGetAnnotationOfType(Disabled.class)
                .map(disabled -> disabled.value().isBlank())
                .orElse(false);
    }
}
