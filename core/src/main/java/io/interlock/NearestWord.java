package io.interlock;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the nearest known word, for messages about unknown words. */
public final class NearestWord {

    private static final int FEW = 2;

    private NearestWord() {}

    /** The one of {@code known} with the smallest edit distance, if that is small; case does not count. */
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

    /** The Levenshtein distance, with a swap of two adjacent letters as one change. */
    private static int distance(String one, String other) {
        String a = one.toLowerCase(Locale.ROOT);
        String b = other.toLowerCase(Locale.ROOT);
        int[][] steps = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                steps[i][j] = i == 0 || j == 0 ? i + j : cheapest(steps, a, b, i, j);
            }
        }
        return steps[a.length()][b.length()];
    }

    private static int cheapest(int[][] steps, String a, String b, int i, int j) {
        int changed = steps[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int best = Math.min(changed, Math.min(steps[i - 1][j], steps[i][j - 1]) + 1);
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(best, steps[i - 2][j - 2] + 1) : best;
    }
}
