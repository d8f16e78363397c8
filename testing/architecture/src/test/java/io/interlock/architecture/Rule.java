package io.interlock.architecture;

import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A rule for any root package, and the classes of the broken sample that it must find.
 *
 * @param name its name
 * @param below the rule for everything below a root package
 * @param culprits the simple names it must report in the broken sample
 */
record Rule(String name, Function<String, ArchRule> below, List<String> culprits) {

    /** The rules for main code. */
    static Stream<Rule> ofMainCode() {
        return Stream.of(
                rule(
                        "core sees JDK, JSpecify, slf4j",
                        arrows(Arrows::coreSeesNothing),
                        "CoreSeesLocks",
                        "CoreSeesLibrary"),
                rule("locks see core", arrows(Arrows::locksSeeCore), "LocksSeeStore"),
                rule("engine sees locks", arrows(Arrows::engineSeesLocks), "EngineSeesStore"),
                rule("service sees engine", arrows(Arrows::serviceSeesEngine), "ServiceSeesEdge", "ServiceSeesLibrary"),
                rule("stores see core", arrows(Arrows::storesSeeCore), "StoreSeesStore", "StoreSeesLocks"),
                rule("contract tests see no store", arrows(Arrows::contractTestsSeeNoStore), "ContractSeesStore"),
                rule(
                        "edges see no SPI",
                        arrows(Arrows::edgesSeeNoSpi),
                        "EdgeSeesSpi",
                        "ServiceSeesSpi",
                        "CommandSeesSpi"),
                rule("internal stays inside", arrows(Arrows::internalStaysInside), "StoreSeesInternal"),
                rule("API shows no internals", arrows(Arrows::apiShowsNoInternals), "ShowsInternal"),
                rule("packages have no cycles", code(CodeRules::packagesHaveNoCycles), "LeftPart", "RightPart"),
                rule(
                        "parts of the engine have no cycles",
                        code(CodeRules::partsOfTheEngineHaveNoCycles),
                        "EngineSeesHandler",
                        "HandlerSeesEngine"),
                rule("time is injected", code(CodeRules::timeIsInjected), "TimeThief"),
                rule(
                        "names say something",
                        code(CodeRules::namesSaySomething),
                        "TextUtils",
                        "StoreManager",
                        "LeaseHelper",
                        "DoorImpl"),
                rule("constructors are short", code(CodeRules::constructorsAreShort), "TenParameters"),
                rule("packages are null-marked", code(CodeRules::packagesAreNullMarked), "samples.broken.unmarked"),
                rule("exceptions have one parent", code(CodeRules::exceptionsHaveOneParent), "StrayException"));
    }

    /** The rules for test code. */
    static Stream<Rule> ofTests() {
        return Stream.of(
                rule(
                        "no test sleeps",
                        code(CodeRules::nobodySleeps),
                        "SleepyTest.sleeps()",
                        "SleepyTest.sleepsInUnits()"),
                rule(
                        "disabled tests say why",
                        code(CodeRules::disabledTestsSayWhy),
                        "SleepyTest.sleeps()",
                        "SleepyTest.sleepsInUnits()",
                        "DisabledTest"));
    }

    @Override
    public String toString() {
        return name;
    }

    private static Rule rule(String name, Function<String, ArchRule> below, String... culprits) {
        return new Rule(name, below, List.of(culprits));
    }

    private static Function<String, ArchRule> arrows(Function<Arrows, ArchRule> rule) {
        return root -> rule.apply(new Arrows(root));
    }

    private static Function<String, ArchRule> code(Function<CodeRules, ArchRule> rule) {
        return root -> rule.apply(new CodeRules(root));
    }
}
