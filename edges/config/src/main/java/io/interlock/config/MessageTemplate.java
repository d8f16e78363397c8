package io.interlock.config;

import io.interlock.InvalidSettingException;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    private MessageTemplate(String text) {
        this.text = text;
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
        if (text.isEmpty()) {
            throw wrong(setting, text, "is empty");
        }
        Matcher next = PART.matcher(text);
        for (int at = 0; at < text.length(); at = next.end()) {
            if (!next.find(at) || next.start() != at) {
                throw wrong(setting, text, "has an unmatched brace");
            }
            String name = next.group(1);
            if (name != null && !isGroup(name) && !FIELD.matcher(name).matches()) {
                throw wrong(setting, text, "has {" + name + "}, which is neither the group nor a field");
            }
        }
        return new MessageTemplate(text);
    }

    private static boolean isGroup(String name) {
        return name.equals(GROUP) || name.startsWith(GROUP + "#");
    }

    private static InvalidSettingException wrong(String setting, String text, String why) {
        return new InvalidSettingException(
                setting, text, why, "write it as cluster/{group#cluster-} or cluster/{cluster_id}");
    }

    /** The text for one message. */
    public String fill(Source source) {
        return PART.matcher(text).replaceAll(part -> Matcher.quoteReplacement(filled(part, source)));
    }

    private static String filled(MatchResult part, Source source) {
        String name = part.group(1);
        if (name == null) {
            return part.group();
        }
        return isGroup(name)
                ? source.groupWithout(name.substring(Math.min(name.length(), GROUP.length() + 1)))
                : source.field(name);
    }

    /** The field, if the template is exactly one field: such a parameter keeps its type. */
    public Optional<String> soleField() {
        Matcher whole = PART.matcher(text);
        return whole.matches() && whole.group(1) != null && !isGroup(whole.group(1))
                ? Optional.of(whole.group(1))
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
