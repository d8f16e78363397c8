package io.interlock.ui;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Short names for those used most, as far as that saves something. Only one thread uses it. */
final class ShortNames {

    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    private final Map<String, Integer> alone = new HashMap<>();
    private final Map<String, Integer> besides = new HashMap<>();
    private final Set<String> taken;

    ShortNames(Set<String> taken) {
        this.taken = new HashSet<>(taken);
    }

    /** A name that nobody else may have. */
    void take(String name) {
        taken.add(name);
    }

    /**
     * A place where {@code name} stands.
     *
     * @param alone whether nothing but the short name will stand there; otherwise it comes beside the long one
     */
    void count(String name, boolean alone) {
        taken.add(name);
        this.alone.merge(name, alone ? 1 : 0, Integer::sum);
        besides.merge(name, alone ? 0 : 1, Integer::sum);
    }

    /** The short name of each that has one. */
    Map<String, String> given() {
        List<String> order = new ArrayList<>(alone.keySet());
        order.sort(Comparator.comparingInt((String name) -> -alone.getOrDefault(name, 0))
                .thenComparing(name -> name));
        Map<String, String> given = new HashMap<>();
        int next = 0;
        for (String name : order) {
            int number = next;
            while (taken.contains(numbered(number))) {
                number++;
            }
            String shorter = numbered(number);
            int saved = alone.getOrDefault(name, 0) * (name.length() - shorter.length());
            if (saved > besides.getOrDefault(name, 0) * (shorter.length() + 3)) {
                given.put(name, shorter);
                next = number + 1;
            }
        }
        return given;
    }

    private static String numbered(int n) {
        String last = String.valueOf(LETTERS.charAt(n % LETTERS.length()));
        return n < LETTERS.length() ? last : LETTERS.charAt(n / LETTERS.length() - 1) + last;
    }
}
