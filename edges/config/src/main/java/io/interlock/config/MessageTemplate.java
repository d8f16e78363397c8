package io.interlock.config;

import io.interlock.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A template for text from a message. {@code {group}} stands for its group, {@code {group#cluster-}} for its group
 * without that prefix, and any other name in braces for a field of its body, as {@code {cluster_id}} or
 * {@code {cluster.id}}. Immutable.
 */
public final class MessageTemplate {

    private static final Pattern PART = Pattern.compile("\\{([^{}]*)}|[^{}]+");
    private static final String GROUP = "group";
    private static final Pattern FIELD = Pattern.compile("[^.#\\s]+(\\.[^.#\\s]+)*");

    private final String text;
    private final List<Part> parts;

    private MessageTemplate(String text, List<Part> parts) {
        this.text = text;
        this.parts = List.copyOf(parts);
    }

    /** A part: literal text, or a value from a message. */
    private sealed interface Part {

        record Literal(String text) implements Part {}

        record Group(String beginning) implements Part {}

        record Field(String path) implements Part {}
    }

    /** The values of a message. */
    public interface Source {

        /** The group without the prefix {@code beginning}; fails if it has another prefix. */
        String groupWithout(String beginning);

        /** The text or number at {@code path}; fails if there is none. */
        String field(String path);
    }

    /**
     * Reads a template.
     *
     * @throws InvalidSettingException naming what is wrong with it
     */
    public static MessageTemplate parse(String setting, String text) {
        List<Part> parts = new ArrayList<>();
        Matcher next = PART.matcher(text);
        int at = 0;
        while (at < text.length()) {
            if (!next.find(at) || next.start() != at) {
                throw wrong(setting, text, "has an unmatched brace");
            }
            String name = next.group(1);
            parts.add(name == null ? new Part.Literal(next.group()) : part(setting, text, name));
            at = next.end();
        }
        if (parts.isEmpty()) {
            throw wrong(setting, text, "is empty");
        }
        return new MessageTemplate(text, parts);
    }

    private static Part part(String setting, String text, String name) {
        if (name.equals(GROUP)) {
            return new Part.Group("");
        }
        if (name.startsWith(GROUP + "#")) {
            return new Part.Group(name.substring(GROUP.length() + 1));
        }
        if (!FIELD.matcher(name).matches()) {
            throw wrong(setting, text, "has {" + name + "}, which is neither the group nor a field");
        }
        return new Part.Field(name);
    }

    private static InvalidSettingException wrong(String setting, String text, String why) {
        return new InvalidSettingException(
                setting, text, why, "write it as cluster/{group#cluster-} or cluster/{cluster_id}");
    }

    /** The text for one message. */
    public String fill(Source source) {
        return parts.stream().map(part -> filled(part, source)).collect(Collectors.joining());
    }

    private static String filled(Part part, Source source) {
        if (part instanceof Part.Group group) {
            return source.groupWithout(group.beginning());
        }
        return part instanceof Part.Field field ? source.field(field.path()) : ((Part.Literal) part).text();
    }

    /** The field, if the template is exactly one field: such a parameter keeps its type. */
    public Optional<String> soleField() {
        return parts.size() == 1 && parts.get(0) instanceof Part.Field field
                ? Optional.of(field.path())
                : Optional.empty();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MessageTemplate that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
