package io.interlock.config;

import io.interlock.StoreCapabilities;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

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
            Set<String> groups = new LinkedHashSet<>();
            for (Settings.Setting setting : Settings.ALL) {
                if (setting.isPattern()) {
                    groups.add(setting.group());
                } else {
                    add(all, setting, setting.name());
                }
            }
            groups.forEach(group -> entries(group).forEach(entry -> addGroup(all, group, entry)));
            return List.copyOf(all);
        }

        /** Each job of {@code jobs.*}, each entry of {@code notify[]}. */
        private List<String> entries(String group) {
            if (group.endsWith(".*")) {
                String above = group.substring(0, group.length() - 2);
                return sources.children(above).stream()
                        .map(name -> above + "." + name)
                        .toList();
            }
            String list = group.substring(0, group.length() - "[]".length());
            return IntStream.range(0, sources.size(list))
                    .mapToObj(i -> list + "[" + i + "]")
                    .toList();
        }

        private void addGroup(List<EffectiveProperty> all, String pattern, String prefix) {
            for (Settings.Setting setting : Settings.ALL) {
                if (setting.name().startsWith(pattern + ".")) {
                    String rest = setting.name().substring(pattern.length());
                    String name = prefix + rest;
                    // A second user-defined part: stage-budgets.*
                    for (String each : name.endsWith(".*") ? entries(name) : List.of(name)) {
                        add(all, setting, each);
                    }
                }
            }
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
                case STORE -> StoreCapabilities.shown(value);
                case URL -> USER.matcher(value).replaceAll("//" + MASK + "@").replaceFirst("\\?.*$", "?" + MASK);
                case HOOK ->
                    USER.matcher(value).replaceAll("//" + MASK + "@").replaceFirst("^(\\w+://[^/?]*).*$", "$1/" + MASK);
                default -> value;
            };
        }
    }
}
