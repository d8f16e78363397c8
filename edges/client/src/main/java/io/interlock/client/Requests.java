package io.interlock.client;

import io.interlock.service.Facts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests of the REST API: a server, or this process. A path is the one below {@code /api/v1}; a query has names and values in turn,
 * and an empty value stands for none. Safe for use by many threads.
 */
public interface Requests {

    /** Asks for something. */
    Facts get(String path, String... query);

    /** Asks for something, and waits for a change. */
    Facts getWithin(Duration wait, String path, String... query) throws InterruptedException;

    /** Has something done. */
    Facts post(String path, @Nullable Facts body);

    /** Has something set. */
    Facts put(String path, Facts body);

    /** Takes something away. */
    void delete(String path, String... query);

    /** The lock of a key, if there is one. A key that ends in a star is asked for as the beginning of keys, of which it is one. */
    default Optional<Facts> lock(String key) {
        return items(Integer.MAX_VALUE, lock -> lock.shown("key").equals(key), "/locks", "key", key).stream()
                .findFirst();
    }

    /** All items of a list, page by page, up to {@code limit}. */
    default List<Facts> items(int limit, String path, String... query) {
        return items(limit, any -> true, path, query);
    }

    /** Those items of a list that are wanted, page by page, up to {@code limit}. */
    default List<Facts> items(int limit, Predicate<Facts> wanted, String path, String... query) {
        int most = 200;
        List<Facts> items = new ArrayList<>();
        String cursor = "";
        do {
            List<String> words = new ArrayList<>(List.of(query));
            words.addAll(List.of("limit", Integer.toString(Math.min(most, limit)), "cursor", cursor));
            Facts page = get(path, words.toArray(String[]::new));
            page.list("items").stream().filter(wanted).forEach(items::add);
            cursor = page.shown("cursor");
        } while (!cursor.isEmpty() && items.size() < limit);
        return items.size() > limit ? items.subList(0, limit) : items;
    }
}
