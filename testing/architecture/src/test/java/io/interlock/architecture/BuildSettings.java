package io.interlock.architecture;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The compiler settings of the root pom, read from the pom itself. */
final class BuildSettings {

    private static final Pattern ARGUMENT = Pattern.compile("<arg>([^<]+)</arg>");
    private static final Pattern CHECKER =
            Pattern.compile("<path>\\s*<groupId>[^<]+</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*"
                    + "<version>([^<]+)</version>\\s*</path>");
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{([^}]+)}");

    private final String pom = SourceTree.read(SourceTree.root().resolve("pom.xml"));

    /** The arguments of the compiler for main code, in order; those for tests come later in the pom. */
    List<String> compilerArguments() {
        String main = pom.substring(pom.indexOf("<compilerArgs>"), pom.indexOf("</compilerArgs>"));
        return SourceTree.matches(ARGUMENT, main).stream()
                .map(match -> resolve(match.group(1)))
                .toList();
    }

    /** The jars on the processor path, as {@code artifact-version.jar}. */
    List<String> checkerJars() {
        return SourceTree.matches(CHECKER, pom).stream()
                .map(match -> match.group(1) + "-" + resolve(match.group(2)) + ".jar")
                .toList();
    }

    /** A property of the pom. */
    String property(String name) {
        List<MatchResult> found = SourceTree.matches(Pattern.compile("<" + Pattern.quote(name) + ">([^<]+)</"), pom);
        if (found.size() != 1) {
            throw new IllegalStateException("the root pom has the property " + name + " " + found.size() + " times");
        }
        return found.get(0).group(1);
    }

    /** A property that only this profile of the pom sets so. */
    String propertyOfProfile(String profile, String name) {
        String id = "<id>" + profile + "</id>";
        String text = pom.substring(pom.indexOf(id), pom.indexOf("</profile>", pom.indexOf(id)));
        MatchResult found = SourceTree.matches(Pattern.compile("<" + Pattern.quote(name) + ">([^<]+)</"), text)
                .get(0);
        return resolve(found.group(1));
    }

    private String resolve(String text) {
        return REFERENCE.matcher(text).replaceAll(match -> Matcher.quoteReplacement(property(match.group(1))));
    }
}
