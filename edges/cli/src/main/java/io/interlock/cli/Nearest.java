package io.interlock.cli;

import java.util.Collection;
import java.util.Comparator;

/** Guesses what somebody meant. */
final class Nearest {

    private static final int FAR = 3;

    private Nearest() {}

    /** A half sentence that asks, or nothing if nothing is near. */
    static String to(String typed, Collection<String> known) {
        return known.stream()
                .filter(name -> distance(typed, name) < Math.min(FAR, name.length()))
                .min(Comparator.comparingInt(name -> distance(typed, name)))
                .map(name -> "; did you mean '" + name + "'?")
                .orElse("");
    }

    // How many letters have to be added, left out or replaced.
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int above = row[j];
                int change = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, Math.min(above, row[j - 1]) + 1);
                diagonal = above;
            }
        }
        return row[other.length()];
    }
}
