package io.interlock.ui;

import io.interlock.ui.Script.Kind;
import io.interlock.ui.Script.Piece;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Our JavaScript as it is served: without comments and space, and with short names for what a file has to itself. What a file exports,
 * properties and names of the browser stay as they are. Only one thread uses it.
 */
final class Thin {

    private static final Set<String> WORDS = Set.of(
            "as",
            "async",
            "await",
            "break",
            "case",
            "catch",
            "class",
            "const",
            "constructor",
            "continue",
            "default",
            "delete",
            "do",
            "else",
            "export",
            "extends",
            "false",
            "finally",
            "for",
            "from",
            "function",
            "if",
            "import",
            "in",
            "instanceof",
            "let",
            "new",
            "null",
            "of",
            "return",
            "static",
            "super",
            "switch",
            "this",
            "throw",
            "true",
            "try",
            "typeof",
            "undefined",
            "void",
            "while");
    private static final Set<String> BLOCK_AFTER = Set.of(")", "=>", ";", "{", "}", "else", "try", "finally", "do");
    private static final Set<String> DECLARING = Set.of("const", "let", "function", "class");
    private static final Set<String> TESTING = Set.of("if", "for", "while", "switch");
    private static final Map<String, String> SHORTER = Map.of("const", "let", "true", "!0", "false", "!1");

    private final List<Piece> pieces;
    // The bracket around each piece, below 0 if there is none; and where each bracket closes.
    private final List<Integer> around = new ArrayList<>();
    private final Map<Integer, Integer> closing = new HashMap<>();
    private final Map<Integer, Role> roles = new HashMap<>();
    private final Set<String> declared = new HashSet<>();
    private final Set<String> fixed = new HashSet<>(WORDS);

    private Thin(String text) {
        pieces = Script.pieces(text);
    }

    /** What a name is where it stands. */
    private enum Role {
        REFERENCE,
        PROPERTY,
        /** A property and the variable of the same name at once, as in <code>{ key }</code>. */
        BOTH,
        /** Between the braces of an import. */
        IMPORTED
    }

    static String of(String text) {
        Thin thin = new Thin(text);
        thin.look();
        return thin.write(thin.names());
    }

    /** Finds out what lies in which brackets, what each name is, and which are this file's own. */
    private void look() {
        Deque<Integer> open = new ArrayDeque<>(List.of(-1));
        for (int i = 0; i < pieces.size(); i++) {
            if (isClosing(i)) {
                closing.put(open.pop(), i);
            }
            around.add(open.element());
            if (isOpening(i)) {
                open.push(i);
            }
        }
        for (int i = 0; i < pieces.size(); i++) {
            if (isName(i)) {
                name(i, around.get(i) < 0 || !text(around.get(i)).equals("{") ? "" : brace(around.get(i)));
            }
        }
    }

    private boolean isOpening(int i) {
        Piece piece = pieces.get(i);
        return piece.is("{")
                || piece.is("(")
                || piece.is("[")
                || (piece.kind() == Kind.OTHER && piece.text().endsWith("${"));
    }

    private boolean isClosing(int i) {
        Piece piece = pieces.get(i);
        return piece.is("}")
                || piece.is(")")
                || piece.is("]")
                || (piece.kind() == Kind.OTHER && piece.text().startsWith("}"));
    }

    /** Whether a brace begins a block, an object, or what is imported or exported. */
    private String brace(int i) {
        String before = text(i - 1);
        if (!text(i).equals("{")) {
            return "template";
        }
        if (before.equals("import") || before.equals("export")) {
            return before;
        }
        boolean ofClass = text(i - 2).equals("class") || text(i - 2).equals("extends");
        return i == 0 || BLOCK_AFTER.contains(before) || ofClass ? "block" : "object";
    }

    private void name(int i, String within) {
        String name = text(i);
        String before = text(i - 1);
        String after = text(i + 1);
        boolean first = before.equals("{") || before.equals(",") || (before.equals("async") && within.equals("object"));
        if (WORDS.contains(name)) {
            roles.put(i, Role.PROPERTY);
        } else if (before.equals(".") || before.equals("?.")) {
            roles.put(i, Role.PROPERTY);
        } else if (within.equals("import")) {
            declared.add(name);
            roles.put(i, before.equals("as") || after.equals("as") ? Role.PROPERTY : Role.IMPORTED);
            if (roles.get(i) == Role.PROPERTY) {
                fixed.add(name);
            }
        } else if (within.equals("export")) {
            fixed.add(name);
            roles.put(i, Role.PROPERTY);
        } else if (within.equals("object") && first) {
            roles.put(i, ofObject(after));
            if (roles.get(i) != Role.PROPERTY && declares(i)) {
                declared.add(name);
            }
        } else {
            roles.put(i, Role.REFERENCE);
            if (declares(i)) {
                declared.add(name);
            }
        }
        boolean exported = DECLARING.contains(before)
                && (text(i - 2).equals("export") || text(i - 3).equals("export"));
        if (exported) {
            fixed.add(name);
        }
    }

    private static Role ofObject(String after) {
        return switch (after) {
            case ",", "}", "=" -> Role.BOTH;
            case ":", "(" -> Role.PROPERTY;
            default -> Role.REFERENCE;
        };
    }

    /** Whether a name is made here: after const, let, function or class, before an arrow, in a pattern of them or among parameters. */
    private boolean declares(int i) {
        if (DECLARING.contains(text(i - 1)) || text(i + 1).equals("=>")) {
            return true;
        }
        // Out of the brackets around it, one after the other: what stands before or behind them tells.
        for (int open = around.get(i); open >= 0; open = around.get(open)) {
            String before = text(open - 1);
            if (text(open).equals("(")) {
                String behind = text(closing.getOrDefault(open, pieces.size()) + 1);
                boolean body = behind.equals("{") && isName(open - 1) && !TESTING.contains(before);
                return behind.equals("=>") || body;
            }
            if (before.equals("const") || before.equals("let")) {
                return true;
            }
            if (!text(open).equals("[") && !brace(open).equals("object")) {
                return false;
            }
        }
        return false;
    }

    private boolean isName(int i) {
        return i >= 0 && pieces.get(i).kind() == Kind.NAME;
    }

    private Map<String, String> names() {
        ShortNames names = new ShortNames(fixed);
        roles.forEach((i, role) -> {
            String name = text(i);
            if (role == Role.PROPERTY) {
                return;
            }
            if (declared.contains(name) && !fixed.contains(name)) {
                names.count(name, role == Role.REFERENCE);
            } else {
                names.take(name);
            }
        });
        return names.given();
    }

    private String write(Map<String, String> names) {
        StringBuilder out = new StringBuilder();
        // For each block around us: how the statement begins in which we are.
        Deque<String> statements = new ArrayDeque<>(List.of(""));
        for (int i = 0; i < pieces.size(); i++) {
            String before = text(i - 1);
            if (pieces.get(i).is("}")) {
                statements.pop();
            } else if (before.isEmpty()
                    || before.equals(";")
                    || (pieces.get(i).kind() == Kind.NAME && (before.equals("{") || before.equals("}")))) {
                String begins = declaration(i);
                if (!begins.isEmpty() && before.equals(";") && begins.equals(statements.peek())) {
                    // The declaration before goes on.
                    out.setCharAt(out.length() - 1, ',');
                    i += begins.equals("let") ? 1 : 2;
                }
                statements.pop();
                statements.push(begins);
            }
            if (pieces.get(i).is("{")) {
                statements.push("");
            }
            if (!isNeedless(i)) {
                String next = written(i, names);
                separate(out, next);
                out.append(next);
            }
        }
        return out.append('\n').toString();
    }

    /** Whether a piece says what the bracket behind it says as well. */
    private boolean isNeedless(int i) {
        boolean closes = text(i + 1).equals("}");
        return (pieces.get(i).is(";") && closes)
                || (pieces.get(i).is(",")
                        && (closes || text(i + 1).equals("]"))
                        && !text(i - 1).equals(","));
    }

    /** How a declaration begins at a piece; empty if none does. */
    private String declaration(int i) {
        boolean exported = text(i).equals("export");
        String word = text(exported ? i + 1 : i);
        return word.equals("const") || word.equals("let") ? (exported ? "export let" : "let") : "";
    }

    private String written(int i, Map<String, String> names) {
        String name = text(i);
        Role role = roles.get(i);
        String given = names.get(name);
        if (SHORTER.containsKey(name) && !text(i - 1).equals(".")) {
            return SHORTER.get(name);
        }
        if (role == null || role == Role.PROPERTY || given == null) {
            return name;
        }
        return role == Role.BOTH ? name + ":" + given : role == Role.IMPORTED ? name + " as " + given : given;
    }

    /** A space where two pieces would be one. */
    private static void separate(StringBuilder out, String next) {
        if (out.isEmpty()) {
            return;
        }
        char before = out.charAt(out.length() - 1);
        char after = next.charAt(0);
        boolean words = isWord(before) && isWord(after);
        boolean signs = (before == '+' || before == '-') && before == after;
        if (words || signs) {
            out.append(' ');
        }
    }

    private static boolean isWord(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '$';
    }

    private String text(int i) {
        return i < 0 || i >= pieces.size() ? "" : pieces.get(i).text();
    }
}
