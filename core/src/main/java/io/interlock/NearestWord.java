package io.interlock;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the word somebody probably meant, for messages about words nobody knows. */
public final class NearestWord {

    private static final int FEW = 2;

    private NearestWord() {}

    /** The one of {@code known} that needs the fewest letters changed, added or left out, if those are few; case does not count. */
    public static Optional<String> to(String word, Collection<String> known) {
        return known.stream()
                .filter(candidate -> isNear(word, candidate))
                .min(Comparator.comparingInt((String candidate) -> distance(word, candidate))
                        .thenComparing(Comparator.naturalOrder()));
    }

    private static boolean isNear(String word, String candidate) {
        int distance = distance(word, candidate);
        int shorter = Math.min(word.length(), candidate.length());
        return distance <= Math.max(FEW, word.length() / 3) && distance < shorter;
    }

    /** Levenshtein's. */
    private static int distance(String one, String other) {
        String a = one.toLowerCase(Locale.ROOT);
        String b = other.toLowerCase(Locale.ROOT);
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, Math.min(above, row[j - 1]) + 1);
                diagonal = above;
            }
        }
        return row[b.length()];
    }
}
