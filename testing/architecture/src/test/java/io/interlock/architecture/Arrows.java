package io.interlock.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The allowed dependencies, in one direction: edges → service → engine → locks → store contract → store; lower modules do not
 * depend on higher ones.
 */
final class Arrows {

    private static final List<String> EDGES =
            List.of("config", "ui", "server", "client", "cli", "spring", "sqs", "example");
    private static final String[] GROUND = {"java..", "org.jspecify..", "org.slf4j.."};

    private final String root;

    /** The rules for the packages below {@code root}. */
    Arrows(String root) {
        this.root = root;
    }

    ArchRule coreSeesNothing() {
        return classes()
                .that(core())
                .should()
                .onlyDependOnClassesThat(core().or(resideInAnyPackage(GROUND)))
                .because("core has only types and contracts, and uses only JDK, JSpecify and slf4j-api");
    }

    ArchRule locksSeeCore() {
        return classes()
                .that(resideInAPackage(root + ".locks.."))
                .should()
                .onlyDependOnClassesThat(
                        core().or(resideInAPackage(root + ".locks..")).or(resideInAnyPackage(GROUND)))
                .because("the lock library uses stores only through their contract");
    }

    ArchRule engineSeesLocks() {
        return noClasses()
                .that(resideInAPackage(root + ".engine.."))
                .should()
                .dependOnClassesThat(resideInAPackage(root + "..")
                        .and(not(core()))
                        .and(not(resideInAnyPackage(root + ".engine..", root + ".locks.."))))
                .because("the engine uses only locks and core")
                .allowEmptyShould(true);
    }

    ArchRule serviceSeesEngine() {
        return classes()
                .that(resideInAPackage(root + ".service.."))
                .should()
                .onlyDependOnClassesThat(core().or(resideInAnyPackage(root + ".service..", root + ".engine.."))
                        .or(resideInAnyPackage(GROUND)))
                .because("the service layer is JSON and operations of an engine, without HTTP and without a terminal")
                .allowEmptyShould(true);
    }

    ArchRule storesSeeCore() {
        return classes()
                .that(resideInAPackage(root + ".store.."))
                .should(new ArchCondition<>("see only core, themselves and store.sql") {
                    @Override
                    public void check(JavaClass store, ConditionEvents events) {
                        store.getDirectDependenciesFromSelf().stream()
                                .filter(Arrows.this::isForbiddenToStores)
                                .forEach(seen ->
                                        events.add(SimpleConditionEvent.violated(store, seen.getDescription())));
                    }
                })
                .because("a store implements the contract and does not depend on its users");
    }

    ArchRule contractTestsSeeNoStore() {
        return noClasses()
                .that(resideInAPackage(root + ".tck.."))
                .should()
                .dependOnClassesThat(resideInAPackage(root + ".store.."))
                .because("the contract tests must work for any store");
    }

    ArchRule edgesSeeNoSpi() {
        return noClasses()
                .that(resideInAnyPackage(Stream.concat(EDGES.stream(), Stream.of("service"))
                        .map(edge -> root + "." + edge + "..")
                        .toArray(String[]::new)))
                // The client offers a server to the locks and the engine in place of a store.
                .and(not(resideInAPackage(root + ".client")))
                .should()
                .dependOnClassesThat(resideInAPackage(root + ".spi.."))
                .because("edges translate; they reach stores through the engine and the locks")
                .allowEmptyShould(true);
    }

    ArchRule internalStaysInside() {
        return classes()
                .that(resideInAPackage(root + ".."))
                .should(new ArchCondition<>("leave other modules' internal packages alone") {
                    @Override
                    public void check(JavaClass user, ConditionEvents events) {
                        user.getDirectDependenciesFromSelf().stream()
                                .filter(seen -> isInternal(seen.getTargetClass())
                                        && !moduleOf(seen.getTargetClass()).equals(moduleOf(user)))
                                .forEach(
                                        seen -> events.add(SimpleConditionEvent.violated(user, seen.getDescription())));
                    }
                });
    }

    ArchRule apiShowsNoInternals() {
        return classes()
                .that(resideInAPackage(root + ".."))
                .and(not(resideInAPackage("..internal..")))
                .and()
                .arePublic()
                .should(new ArchCondition<>("show no internal type in a public signature") {
                    @Override
                    public void check(JavaClass api, ConditionEvents events) {
                        Signatures.shownBy(api)
                                .filter(shown -> isInternal(shown.type()))
                                .forEach(shown -> events.add(SimpleConditionEvent.violated(
                                        api,
                                        shown.member() + " shows "
                                                + shown.type().getName())));
                    }
                });
    }

    private boolean isForbiddenToStores(Dependency seen) {
        JavaClass target = seen.getTargetClass().getBaseComponentType();
        if (!resideInAPackage(root + "..").test(target) || core().test(target)) {
            return false;
        }
        String module = moduleOf(target);
        return !module.equals(moduleOf(seen.getOriginClass()))
                && !Set.of("store.sql", "store.document").contains(module);
    }

    private boolean isInternal(JavaClass type) {
        return resideInAPackage(root + "..internal..").test(type.getBaseComponentType());
    }

    /** The module part of the package: {@code locks}, {@code store.redis}, or empty for core. */
    private String moduleOf(JavaClass type) {
        String name = type.getBaseComponentType().getPackageName();
        if (!name.startsWith(root + ".") || core().test(type)) {
            return "";
        }
        String[] parts = name.substring(root.length() + 1).split("\\.", -1);
        return parts[0].equals("store") && parts.length > 1 ? "store." + parts[1] : parts[0];
    }

    /** Everything below the root that belongs to no other module, so that new packages of core are included. */
    private DescribedPredicate<JavaClass> core() {
        // The metrics are not a translating edge: they wrap the store.
        List<String> others = new ArrayList<>(List.of(
                "locks",
                "engine",
                "service",
                "metrics",
                "tracing",
                "site",
                "store",
                "tck",
                "servers",
                "browser",
                "storm",
                "benchmark",
                "architecture"));
        others.addAll(EDGES);
        return resideInAPackage(root + "..")
                .and(not(resideInAnyPackage(
                        others.stream().map(other -> root + "." + other + "..").toArray(String[]::new))))
                .as("core");
    }
}
