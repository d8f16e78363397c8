package io.interlock.config;

import io.interlock.InvalidSettingException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A YAML file as properties, each with its line. Values are kept as written: {@code on} and {@code no} are words, and
 * {@code 0755} and {@code 1:30} are not converted to other numbers. Properties are named as written, with
 * {@code interlock.}; a name that contains a dot is in quotes.
 */
final class YamlFile {

    private static final int DEEPEST = 20;

    private final String name;
    private final Map<String, Integer> lines = new LinkedHashMap<>();
    private final Map<String, String> values = new LinkedHashMap<>();
    private final List<String> twice = new ArrayList<>();

    private YamlFile(String name) {
        this.name = name;
    }

    /**
     * Reads {@code path}.
     *
     * @throws InvalidSettingException if it cannot be read, or is not YAML
     */
    static YamlFile read(Path path) {
        YamlFile file = new YamlFile(String.valueOf(path.getFileName()));
        try {
            Node root = new Yaml(new SafeConstructor(new LoaderOptions()))
                    .compose(new StringReader(Files.readString(path)));
            if (root != null) {
                file.add("", root, 0, false);
            }
            return file;
        } catch (IOException unreadable) {
            throw new InvalidSettingException(
                    "config", path, "cannot be read", "give --config the path of a YAML file that exists");
        } catch (MarkedYAMLException broken) {
            int line = broken.getProblemMark() == null
                    ? 1
                    : broken.getProblemMark().getLine() + 1;
            throw new InvalidSettingException(
                    "config",
                    file.name + ":" + line,
                    "is not YAML: " + broken.getProblem(),
                    "correct it there or above");
        } catch (YAMLException broken) {
            throw new InvalidSettingException(
                    "config", file.name, "is not YAML: " + broken.getMessage(), "correct the file");
        }
    }

    /** All properties and groups of the file with their lines. */
    Map<String, Integer> lines() {
        return lines;
    }

    /** The values as written. */
    Map<String, String> values() {
        return values;
    }

    /** Properties that are there twice. */
    List<String> twice() {
        return twice;
    }

    /** The place of a property, for messages. */
    @Nullable
    String place(String property) {
        Integer line = lines.get(property);
        return line == null ? null : name + ":" + line;
    }

    private void add(String path, Node node, int depth, boolean merged) {
        if (depth > DEEPEST) {
            throw new InvalidSettingException(
                    "config",
                    name + ":" + (node.getStartMark().getLine() + 1),
                    "has more than " + DEEPEST + " levels",
                    "no property has so many levels; does an alias contain itself?");
        }
        if (node instanceof MappingNode map) {
            addEntries(path, map, depth, merged);
        } else if (node instanceof SequenceNode list) {
            List<Node> items = list.getValue();
            for (int i = 0; i < items.size(); i++) {
                String child = path + "[" + i + "]";
                note(child, items.get(i), merged);
                add(child, items.get(i), depth + 1, merged);
            }
        } else if (node instanceof ScalarNode scalar && !scalar.getTag().equals(Tag.NULL)) {
            if (merged) {
                values.putIfAbsent(path, scalar.getValue());
            } else {
                values.put(path, scalar.getValue());
            }
        }
    }

    private void addEntries(String path, MappingNode map, int depth, boolean merged) {
        List<Node> bases = new ArrayList<>();
        for (NodeTuple entry : map.getValue()) {
            if (entry.getKeyNode() instanceof ScalarNode key) {
                if (key.getTag().equals(Tag.MERGE)) {
                    bases.add(entry.getValueNode());
                    continue;
                }
                String part = Settings.quoted(key.getValue());
                String child = path.isEmpty() ? part : path + "." + part;
                if (lines.containsKey(child) && !merged) {
                    twice.add(child);
                }
                note(child, key, merged);
                add(child, entry.getValueNode(), depth + 1, merged);
            }
        }
        // The entries of a map take precedence over those merged by '<<'.
        for (Node base : bases) {
            if (base instanceof SequenceNode several) {
                several.getValue().forEach(one -> add(path, one, depth + 1, true));
            } else {
                add(path, base, depth + 1, true);
            }
        }
    }

    private void note(String path, Node node, boolean merged) {
        int line = node.getStartMark().getLine() + 1;
        if (merged) {
            lines.putIfAbsent(path, line);
        } else {
            lines.put(path, line);
        }
    }
}
