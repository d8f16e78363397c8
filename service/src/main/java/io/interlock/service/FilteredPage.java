package io.interlock.service;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A page of what matches, in the order of the store. It may have fewer items than asked for, or none, although there are more.
 *
 * @param last the item behind which the next page begins; {@code null} if this is the last page
 */
record FilteredPage<T>(List<T> items, @Nullable T last) {

    /** Some items as the store has them, and whether there may be more behind them. */
    public record Part<T>(List<T> items, boolean more) {

        /** What a store said that was asked for {@code limit} items. */
        public static <T> Part<T> of(List<T> items, int limit) {
            return new Part<>(items, items.size() == limit);
        }
    }

    /**
     * Looks at items until {@code limit} of them match, but at no more than {@code most}.
     *
     * @param behind what comes behind an item; behind {@code null}, the first
     */
    public static <T> FilteredPage<T> of(
            Function<@Nullable T, Part<T>> behind, Predicate<T> wanted, int limit, int most) {
        List<T> found = new ArrayList<>();
        T last = null;
        int lookedAt = 0;
        while (true) {
            Part<T> part = behind.apply(last);
            for (Iterator<T> next = part.items().iterator(); next.hasNext(); lookedAt++) {
                T item = next.next();
                last = item;
                if (wanted.test(item)) {
                    found.add(item);
                }
                boolean full = found.size() == limit || lookedAt == most - 1;
                if (full && (next.hasNext() || part.more())) {
                    return new FilteredPage<>(found, item);
                }
            }
            if (!part.more()) {
                return new FilteredPage<>(found, null);
            }
        }
    }
}
