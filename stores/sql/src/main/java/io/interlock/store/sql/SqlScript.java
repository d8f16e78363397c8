package io.interlock.store.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cuts a script into statements at the semicolons that end one: not those in quotes, comments or {@code $$ … $$} bodies.
 * It knows standard SQL quoting only; a body between {@code BEGIN} and {@code END} without dollar quotes is not understood.
 */
final class SqlScript {

    private static final Pattern DOLLAR_TAG = Pattern.compile("\\$(?:[A-Za-z_][A-Za-z0-9_]*)?\\$");

    private final String text;
    private final List<String> statements = new ArrayList<>();
    private int begin;
    private boolean hasCode;

    private SqlScript(String text) {
        this.text = text;
    }

    /** The statements of {@code script}, without their semicolons; those that are comments only are left out. */
    static List<String> statements(String script) {
        SqlScript cut = new SqlScript(script);
        cut.run();
        return List.copyOf(cut.statements);
    }

    private void run() {
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (text.startsWith("--", at)) {
                at = after("\n", at);
            } else if (text.startsWith("/*", at)) {
                at = after("*/", at + 2);
            } else if (c == ';') {
                end(at);
                at++;
                begin = at;
            } else {
                hasCode |= !Character.isWhitespace(c);
                at = c == '\'' || c == '"' ? after(String.valueOf(c), at + 1) : afterDollarBody(c, at);
            }
        }
        end(text.length());
    }

    // A doubled quote inside a literal looks like two literals side by side, which cuts no differently.
    private int after(String closing, int from) {
        int found = text.indexOf(closing, from);
        return found < 0 ? text.length() : found + closing.length();
    }

    private int afterDollarBody(char c, int at) {
        if (c != '$') {
            return at + 1;
        }
        Matcher tag = DOLLAR_TAG.matcher(text).region(at, text.length());
        return tag.lookingAt() ? after(tag.group(), tag.end()) : at + 1;
    }

    private void end(int at) {
        if (hasCode) {
            statements.add(text.substring(begin, at).strip());
        }
        hasCode = false;
    }
}
