package io.interlock.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.all;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.lang.AbstractClassesTransformer;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Rules about time, names, structure and annotations of the code below one root package. */
final class CodeRules {

    /** The maximum number of constructor parameters of a class; a record may have more. */
    static final int MOST_PARAMETERS = 9;

    /** The packages whose children must not form cycles. */
    private static final List<String> LAYERED = List.of("engine.internal", "server", "cli");

    private final String root;

    CodeRules(String root) {
        this.root = root;
    }

    ArchRule timeIsInjected() {
        return classes()
                .that(resideInAPackage(root + "..")
                        .and(not(resideInAnyPackage(root + ".tck..", root + ".benchmark..")))
                        .and(not(compositionRoot())))
                .should(notCall("use the JVM's time, threads or random numbers", ForbiddenCalls::forbids))
                .because("tests control the time only if all code uses io.interlock.time.Environment");
    }

    ArchRule packagesHaveNoCycles() {
        return freeOfCycles("packages of the engine's inside, the server and the command line", type -> {
            for (String part : LAYERED) {
                String child = childOf(part, type);
                if (child != null) {
                    return SliceIdentifier.of(part, child);
                }
            }
            return SliceIdentifier.ignore();
        });
    }

    /** The API and its inside know each other, because the API builds the engine: they are one part. */
    ArchRule partsOfTheEngineHaveNoCycles() {
        return freeOfCycles("the engine, its handlers and what it is made of", type -> {
            String child = childOf("engine", type);
            if (type.getPackageName().equals(root + ".engine") || "internal".equals(child)) {
                return SliceIdentifier.of("engine");
            }
            return child == null ? SliceIdentifier.ignore() : SliceIdentifier.of("engine", child);
        });
    }

    private @Nullable String childOf(String part, JavaClass type) {
        String parent = root + "." + part + ".";
        if (!type.getPackageName().startsWith(parent)) {
            return null;
        }
        String child = type.getPackageName().substring(parent.length());
        int end = child.indexOf('.');
        return end < 0 ? child : child.substring(0, end);
    }

    private static ArchRule freeOfCycles(String description, Function<JavaClass, SliceIdentifier> slice) {
        return slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return slice.apply(type);
                    }

                    @Override
                    public String getDescription() {
                        return description;
                    }
                })
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .because("two parts must not depend on each other; give one of them a listener");
    }

    ArchRule nobodySleeps() {
        return classes()
                .that(resideInAPackage(root + ".."))
                .should(notCall("sleep", ForbiddenCalls::sleeps))
                .because("a test waits for an event, never for time to pass");
    }

    ArchRule disabledTestsSayWhy() {
        return classes()
                .that(resideInAPackage(root + ".."))
                .should(new ArchCondition<>("give a reason for every @Disabled") {
                    @Override
                    public void check(JavaClass test, ConditionEvents events) {
                        DisabledTests.withoutReason(test)
                                .forEach(name -> events.add(
                                        SimpleConditionEvent.violated(test, name + " is disabled without a reason")));
                    }
                });
    }

    ArchRule namesSaySomething() {
        return noClasses()
                .that(resideInAPackage(root + ".."))
                .should()
                .haveNameMatching(".*(Utils?|Manager|Helper|Impl|Internals)")
                .because("a generic name says nothing");
    }

    ArchRule constructorsAreShort() {
        return constructors()
                .that()
                .areDeclaredInClassesThat(resideInAPackage(root + "..").and(not(assignableTo(Record.class))))
                .should(new ArchCondition<>("have at most " + MOST_PARAMETERS + " parameters") {
                    @Override
                    public void check(JavaConstructor constructor, ConditionEvents events) {
                        int parameters = constructor.getRawParameterTypes().size();
                        if (parameters > MOST_PARAMETERS) {
                            events.add(SimpleConditionEvent.violated(
                                    constructor, constructor.getFullName() + " has " + parameters + " parameters"));
                        }
                    }
                })
                .because("the missing type is usually a record with a name");
    }

    ArchRule packagesAreNullMarked() {
        return all(new AbstractClassesTransformer<JavaPackage>("packages below " + root) {
                    @Override
                    public Iterable<JavaPackage> doTransform(JavaClasses classes) {
                        Set<JavaPackage> packages = new LinkedHashSet<>();
                        classes.that(resideInAPackage(root + "..")).forEach(type -> packages.add(type.getPackage()));
                        return packages;
                    }
                })
                .should(new ArchCondition<>("be @NullMarked in their package-info") {
                    @Override
                    public void check(JavaPackage place, ConditionEvents events) {
                        if (!place.isAnnotatedWith(NullMarked.class)) {
                            events.add(SimpleConditionEvent.violated(
                                    place, place.getName() + " has no @NullMarked package-info"));
                        }
                    }
                });
    }

    ArchRule exceptionsHaveOneParent() {
        return classes()
                .that(resideInAPackage(root + "..")
                        .and(assignableTo(Throwable.class))
                        .and(DescribedPredicate.describe(
                                "are public", type -> type.getModifiers().contains(JavaModifier.PUBLIC))))
                .should()
                .beAssignableTo(root + ".InterlockException")
                .because("callers catch one type");
    }

    private DescribedPredicate<JavaClass> compositionRoot() {
        return DescribedPredicate.describe(
                "the composition root", type -> type.getName().startsWith(root + ".time.SystemEnvironment"));
    }

    private static ArchCondition<JavaClass> notCall(String what, Predicate<CodeUnitAccessTarget> forbidden) {
        return new ArchCondition<>("not " + what) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                // Method references count as well as calls.
                type.getCodeUnitAccessesFromSelf().stream()
                        .filter(access -> forbidden.test(access.getTarget()))
                        .forEach(access -> events.add(SimpleConditionEvent.violated(type, access.getDescription())));
            }
        };
    }
}
