package io.interlock.run;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which runs of the queue of one key to list, from its front.
 *
 * @param key the key
 * @param after where the page before ended
 * @param limit the maximum number, 1 to {@link RunQuery#MAX_LIMIT}
 */
public record LineQuery(LockKey key, Place after, int limit) {

    public LineQuery {
        if (limit < 1 || limit > RunQuery.MAX_LIMIT) {
            throw new InvalidSettingException(
                    "limit",
                    limit,
                    "must be from 1 to " + RunQuery.MAX_LIMIT,
                    "request the next page with the cursor of this page");
        }
    }

    /** The first runs of the queue of {@code key}. */
    public static LineQuery front(LockKey key, int limit) {
        return new LineQuery(key, Place.FRONT, limit);
    }

    /**
     * A place between two runs of a queue. Waiting changes the order of runs with different priorities, so a place names the last
     * run that was listed of each rank: the next page repeats no run.
     *
     * @param count how many runs were listed before it
     * @param reached the number of the last run listed of each rank, see {@link io.interlock.spi.run.rules.LineRules}
     */
    public record Place(int count, SortedMap<Integer, Long> reached) {

        /** Before all runs. */
        public static final Place FRONT = new Place(0, Collections.emptySortedMap());

        public Place {
            reached = Collections.unmodifiableSortedMap(new TreeMap<>(reached));
        }

        /** The number of the last run of {@code rank} before this place; 0 if there is none. */
        public long reached(int rank) {
            return reached.getOrDefault(rank, 0L);
        }

        /**
         * The place with this {@link #toString() text}.
         *
         * @throws IllegalArgumentException if it is none
         */
        public static Place parse(String text) {
            String[] parts = text.split(",", -1);
            SortedMap<Integer, Long> reached = new TreeMap<>();
            for (int i = 1; i < parts.length; i++) {
                int equals = parts[i].indexOf('=');
                if (equals < 0) {
                    throw new IllegalArgumentException("no place in a queue: " + text);
                }
                reached.put(
                        Integer.parseInt(parts[i].substring(0, equals)),
                        Long.parseLong(parts[i].substring(equals + 1)));
            }
            return new Place(Integer.parseInt(parts[0]), reached);
        }

        @Override
        public String toString() {
            return count + reached.entrySet().stream().map(entry -> "," + entry).collect(Collectors.joining());
        }
    }
}
