package io.interlock.ui;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A file of our own JavaScript in pieces. It knows what our files are made of, not all of the language: no labels, no getters, statements
 * end with a semicolon. Comments and space between pieces are gone. Only one thread uses it.
 */
final class Script {

    /** What a piece is. */
    enum Kind {
        NAME,
        SIGN,
        /** A number, a quoted text, a regular expression, or text of a template: kept as it is. */
        OTHER
    }

    /** A piece. */
    record Piece(Kind kind, String text) {
        boolean is(String sign) {
            return text.equals(sign) && kind != Kind.OTHER;
        }
    }

    private static final List<String> SIGNS = List.of(
            "...", "===", "!==", "??=", "||=", "&&=", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--",
            "+=", "-=", "*=", "/=");
    private static final String BEFORE_EXPRESSION = "(,=:[!&|?{};+-<>";

    private final String text;
    private final List<Piece> pieces = new ArrayList<>();
    // For each template we are in: how many braces are open inside its current place.
    private final Deque<Integer> places = new ArrayDeque<>();
    private int at;

    private Script(String text) {
        this.text = text;
    }

    static List<Piece> pieces(String text) {
        Script script = new Script(text);
        while (script.at < text.length()) {
            script.step();
        }
        return script.pieces;
    }

    private void step() {
        char c = text.charAt(at);
        if (Character.isWhitespace(c)) {
            at++;
        } else if (text.startsWith("//", at)) {
            at = end("\n");
        } else if (text.startsWith("/*", at)) {
            at = end("*/") + 2;
        } else if (c == '\'' || c == '"') {
            add(Kind.OTHER, closing(at + 1, c));
        } else if (c == '`') {
            template(at);
        } else if (c == '/' && startsExpression()) {
            regularExpression();
        } else if (Character.isDigit(c)) {
            add(Kind.OTHER, endOfWord("."));
        } else if (isName(c)) {
            add(Kind.NAME, endOfWord(""));
        } else if (c == '}' && !places.isEmpty() && places.peek() == 0) {
            places.pop();
            template(at);
        } else {
            sign(c);
        }
    }

    private void sign(char c) {
        if (!places.isEmpty() && (c == '{' || c == '}')) {
            places.push(places.pop() + (c == '{' ? 1 : -1));
        }
        int length = 1;
        for (String sign : SIGNS) {
            if (length == 1 && text.startsWith(sign, at)) {
                length = sign.length();
            }
        }
        add(Kind.SIGN, at + length);
    }

    /** Text of a template from its beginning, or from the end of a place in it, to the next place or its end. */
    private void template(int from) {
        int to = from + 1;
        while (text.charAt(to) != '`' && !text.startsWith("${", to)) {
            to += text.charAt(to) == '\\' ? 2 : 1;
        }
        boolean place = text.charAt(to) == '$';
        // A new line and what the next one is indented by are one space to a browser.
        String words = text.substring(from, to + (place ? 2 : 1)).replaceAll("\\s*\\n\\s*", "\n");
        pieces.add(new Piece(Kind.OTHER, words));
        at = to + (place ? 2 : 1);
        if (place) {
            places.push(0);
        }
    }

    private void regularExpression() {
        int to = at + 1;
        boolean set = false;
        while (set || text.charAt(to) != '/') {
            char c = text.charAt(to);
            set = c == '[' || (set && c != ']');
            to += c == '\\' ? 2 : 1;
        }
        at = add(Kind.OTHER, to + 1);
        if (at < text.length() && isName(text.charAt(at))) {
            Piece expression = pieces.remove(pieces.size() - 1);
            int flags = endOfWord("");
            pieces.add(new Piece(Kind.OTHER, expression.text() + text.substring(at, flags)));
            at = flags;
        }
    }

    private boolean startsExpression() {
        return pieces.isEmpty()
                || (pieces.get(pieces.size() - 1).kind() == Kind.SIGN
                        && BEFORE_EXPRESSION.indexOf(last(pieces.get(pieces.size() - 1))) >= 0)
                || pieces.get(pieces.size() - 1).text().endsWith("${");
    }

    private static char last(Piece piece) {
        return piece.text().charAt(piece.text().length() - 1);
    }

    private int add(Kind kind, int to) {
        pieces.add(new Piece(kind, text.substring(at, to)));
        at = to;
        return to;
    }

    private int closing(int from, char quote) {
        int to = from;
        while (text.charAt(to) != quote) {
            to += text.charAt(to) == '\\' ? 2 : 1;
        }
        return to + 1;
    }

    private int endOfWord(String also) {
        int to = at;
        while (to < text.length()
                && (Character.isDigit(text.charAt(to))
                        || isName(text.charAt(to))
                        || also.indexOf(text.charAt(to)) >= 0)) {
            to++;
        }
        return to;
    }

    private int end(String mark) {
        int found = text.indexOf(mark, at);
        return found < 0 ? text.length() : found;
    }

    private static boolean isName(char c) {
        return Character.isLetter(c) || c == '_' || c == '$';
    }
}
