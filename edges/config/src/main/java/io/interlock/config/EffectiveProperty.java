package io.interlock.config;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An effective property.
 *
 * @param name with {@code interlock.}
 * @param origin where it comes from: {@code flag --port}, {@code environment INTERLOCK_PORT},
 * {@code interlock.yaml:7}, or
 *     {@value #DEFAULT}
 */
public record EffectiveProperty(String name, String value, String origin) {

    /** The origin of properties that are not set. */
    public static final String DEFAULT = "default";

    /** Whether it is set anywhere. */
    public boolean isSet() {
        return !origin.equals(DEFAULT);
    }

    /** The configuration for display, with secrets masked. */
    static final class View {

        private static final Pattern PASSWORD = Pattern.compile("(//[^:@/]*):.*@");
        private static final Pattern USER = Pattern.compile("//[^/@]*@");
        private static final String MASK = "***";

        private final Sources sources;
        private final DataFolder folder;

        View(Sources sources, DataFolder folder) {
            this.sources = sources;
            this.folder = folder;
        }

        /** Every property that has a value, grouped by job. */
        List<EffectiveProperty> all() {
            List<EffectiveProperty> all = new ArrayList<>();
            for (Settings.Setting setting : Settings.ALL) {
                if (!setting.isPattern()) {
                    add(all, setting, setting.name());
                }
            }
            addGroups(all, "jobs");
            addGroups(all, "tenants");
            for (int i = 0; i < sources.size("notify"); i++) {
                addGroup(all, "notify[]", "notify[" + i + "]");
            }
            return List.copyOf(all);
        }

        private void addGroups(List<EffectiveProperty> all, String kind) {
            sources.children(kind).forEach(name -> addGroup(all, kind + ".*", kind + "." + name));
        }

        private void addGroup(List<EffectiveProperty> all, String pattern, String prefix) {
            for (Settings.Setting setting : Settings.ALL) {
                if (setting.name().startsWith(pattern + ".")) {
                    String rest = setting.name().substring(pattern.length());
                    for (String name : named(prefix + rest)) {
                        add(all, setting, name);
                    }
                }
            }
        }

        /** A second user-defined part: {@code stage-budgets.*}. */
        private Set<String> named(String name) {
            if (!name.endsWith(".*")) {
                return Set.of(name);
            }
            String above = name.substring(0, name.length() - 2);
            Set<String> names = new LinkedHashSet<>();
            sources.children(above).forEach(child -> names.add(above + "." + child));
            return names;
        }

        private void add(List<EffectiveProperty> all, Settings.Setting setting, String name) {
            Optional<String> value = value(setting, name);
            value.ifPresent(text -> all.add(new EffectiveProperty(
                    Settings.ROOT + name,
                    safe(setting, text),
                    sources.find(name).isPresent() || setting.isList()
                            ? sources.origin(name).orElse(EffectiveProperty.DEFAULT)
                            : EffectiveProperty.DEFAULT)));
        }

        private Optional<String> value(Settings.Setting setting, String name) {
            if (setting.isList()) {
                List<String> items = sources.items(name);
                return items.isEmpty() ? Optional.empty() : Optional.of(String.join(",", items));
            }
            Optional<String> set = sources.find(name).map(Sources.Found::text);
            if (set.isPresent()) {
                return set;
            }
            return setting.kind() == Settings.Setting.Kind.STORE
                    ? Optional.of(folder.storeUrl())
                    : Optional.ofNullable(setting.otherwise());
        }

        private static String safe(Settings.Setting setting, String value) {
            return switch (setting.kind()) {
                case SECRET -> MASK;
                case STORE -> PASSWORD.matcher(value).replaceAll("$1:" + MASK + "@");
                case URL -> USER.matcher(value).replaceAll("//" + MASK + "@").replaceFirst("\\?.*$", "?" + MASK);
                case HOOK ->
                    USER.matcher(value).replaceAll("//" + MASK + "@").replaceFirst("^(\\w+://[^/?]*).*$", "$1/" + MASK);
                default -> value;
            };
        }
    }
}
