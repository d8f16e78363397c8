package io.interlock.server.api;

import io.interlock.server.problem.Problem.Mistake;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds texts in a body that are none: JSON can write them, but neither UTF-8 nor every store can keep them as they are. */
final class PlainText {

    private static final char REPLACEMENT = '\uFFFD';

    private PlainText() {}

    /** Adds what is wrong with texts in {@code value} to {@code mistakes}. */
    static void check(JsonObject value, List<Mistake> mistakes) {
        if (!isPlain(value)) {
            find("", value, mistakes);
        }
    }

    private static boolean isPlain(@Nullable Object value) {
        if (value instanceof String text) {
            return isPlain(text);
        }
        if (value instanceof JsonObject object) {
            for (Map.Entry<String, Object> field : object) {
                if (!isPlain(field.getKey()) || !isPlain(field.getValue())) {
                    return false;
                }
            }
        } else if (value instanceof JsonArray array) {
            for (Object item : array) {
                if (!isPlain(item)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void find(String pointer, @Nullable Object value, List<Mistake> mistakes) {
        if (value instanceof String text && !isPlain(text)) {
            mistakes.add(new Mistake(pointer, "contains U+0000 or one half of a surrogate pair"));
        } else if (value instanceof JsonObject object) {
            object.forEach(field -> {
                String name = ValidationErrors.shown(field.getKey());
                find(pointer + "/" + name, field.getKey(), mistakes);
                find(pointer + "/" + name, field.getValue(), mistakes);
            });
        } else if (value instanceof JsonArray array) {
            for (int i = 0; i < array.size(); i++) {
                find(pointer + "/" + i, array.getValue(i), mistakes);
            }
        }
    }

    /**
     * Whether {@code text} came in as what it says. Bytes of a path or a query that are no UTF-8 arrive as U+FFFD, whichever they were: two
     * names would be one.
     */
    static boolean isDecoded(String text) {
        return isPlain(text) && text.indexOf(REPLACEMENT) < 0;
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char at = text.charAt(i);
            if (at == 0 || Character.isLowSurrogate(at)) {
                return false;
            }
            if (Character.isHighSurrogate(at)) {
                i++;
                if (i == text.length() || !Character.isLowSurrogate(text.charAt(i))) {
                    return false;
                }
            }
        }
        return true;
    }
}
