package io.interlock.config;

import io.interlock.config.Given.Flag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The sources of values: flags, then environment, then file. Defaults are in {@link Settings}. */
final class Sources {

    private final Map<String, Flag> flags = new HashMap<>();
    private final Map<String, String> environment;
    private final @Nullable YamlFile file;

    Sources(Given given) {
        given.flags().forEach(flag -> flags.put(flag.property(), flag));
        environment = given.environment();
        file = given.file() == null ? null : YamlFile.read(given.file());
    }

    /** A value that is set. */
    record Found(String text, String origin) {}

    /** The value of a property; an empty variable does not count. */
    Optional<Found> find(String property) {
        Optional<Found> given = outsideOfTheFile(property);
        if (given.isPresent() || file == null) {
            return given;
        }
        String text = file.values().get(Settings.ROOT + property);
        return text == null
                ? Optional.empty()
                : Optional.of(new Found(text, String.valueOf(file.place(Settings.ROOT + property))));
    }

    /** The values of a property that is a list: items in a file, separated by commas elsewhere. */
    List<String> items(String property) {
        Optional<Found> single = find(property);
        if (single.isPresent()) {
            return List.of(single.get().text().split(",", -1));
        }
        List<String> items = new ArrayList<>();
        Optional<Found> item = find(property + "[0]");
        while (item.isPresent()) {
            items.add(item.get().text());
            item = find(property + "[" + items.size() + "]");
        }
        return items;
    }

    /** Where a property is set, for messages; empty if it is not set. */
    Optional<String> origin(String property) {
        Optional<String> found = find(property).map(Found::origin);
        return found.isPresent() || file == null
                ? found
                : Optional.ofNullable(file.place(Settings.ROOT + property)).or(() -> above(property));
    }

    /** The line of a property or its group in the file; 0 if there is none. */
    int line(String property) {
        String name = Settings.ROOT + property;
        while (file != null && !name.isEmpty()) {
            Integer line = file.lines().get(name);
            if (line != null) {
                return line;
            }
            name = name.substring(0, Math.max(0, Math.max(name.lastIndexOf('.'), name.lastIndexOf('['))));
        }
        return 0;
    }

    /** All properties set by flags and file, without the root. */
    Set<String> written() {
        Set<String> names = new TreeSet<>(flags.keySet());
        if (file != null) {
            file.values().keySet().stream()
                    .filter(name -> name.startsWith(Settings.ROOT))
                    .forEach(name -> names.add(name.substring(Settings.ROOT.length())));
        }
        return names;
    }

    /** The top-level names of the file other than {@code interlock:}. */
    List<String> strays() {
        String root = Settings.ROOT.substring(0, Settings.ROOT.length() - 1);
        return file == null
                ? List.of()
                : file.lines().keySet().stream()
                        .filter(name -> !name.startsWith(Settings.ROOT) && !name.equals(root))
                        .filter(name -> !name.contains(".") && !name.contains("["))
                        .toList();
    }

    /** The place of such a name. */
    @Nullable
    String strayPlace(String name) {
        return file == null ? null : file.place(name);
    }

    /** Properties that are in the file twice, without the root. */
    List<String> twice() {
        return file == null
                ? List.of()
                : file.twice().stream()
                        .map(name -> name.startsWith(Settings.ROOT) ? name.substring(Settings.ROOT.length()) : name)
                        .toList();
    }

    /** The user-defined names below {@code prefix}, as written in properties: jobs, tenants, stages. */
    Set<String> children(String prefix) {
        String begin = Settings.ROOT + prefix + ".";
        return file == null
                ? Set.of()
                : file.lines().keySet().stream()
                        .filter(name -> name.startsWith(begin))
                        .map(name -> first(name.substring(begin.length())))
                        .collect(Collectors.toCollection(TreeSet::new));
    }

    /** How many entries the list {@code prefix} has. */
    int size(String prefix) {
        int size = 0;
        while (file != null && file.lines().containsKey(Settings.ROOT + prefix + "[" + size + "]")) {
            size++;
        }
        return size;
    }

    /** Variables with the prefix of Interlock. */
    Set<String> variables() {
        return environment.keySet().stream()
                .filter(name -> name.startsWith("INTERLOCK_"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The variable of a property. */
    static String variable(String property) {
        return (Settings.ROOT + property.replace("\"", ""))
                .toUpperCase(Locale.ROOT)
                .replaceAll("[^A-Z0-9]+", "_");
    }

    private Optional<Found> outsideOfTheFile(String property) {
        Flag flag = flags.get(property);
        if (flag != null) {
            return Optional.of(new Found(flag.value(), "flag " + flag.option()));
        }
        String variable = variable(property);
        return Optional.ofNullable(environment.get(variable))
                .filter(text -> !text.isEmpty())
                .map(text -> new Found(text, "environment " + variable));
    }

    /** The place of the group of a property, where a missing property is reported. */
    private Optional<String> above(String property) {
        int cut = property.lastIndexOf('.');
        return cut < 0 ? Optional.empty() : origin(property.substring(0, cut));
    }

    private static String first(String rest) {
        if (rest.startsWith("\"")) {
            return rest.substring(0, rest.indexOf('"', 1) + 1);
        }
        return rest.split("[.\\[]", 2)[0];
    }
}
