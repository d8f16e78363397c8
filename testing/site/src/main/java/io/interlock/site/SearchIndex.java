package io.interlock.site;

import io.interlock.client.Json;
import java.util.ArrayList;
import java.util.List;

/** What the search of the site looks through: each section, and each row of a table that describes one name. A script, since pages opened as files cannot load data. */
final class SearchIndex {

    private final List<Entry> entries = new ArrayList<>();

    /**
     * One place.
     *
     * @param title its heading or name
     * @param page the title of its page
     * @param address where it is
     * @param text what it says
     */
    record Entry(String title, String page, String address, String text) {}

    void add(Page page) {
        entries.addAll(page.entries());
    }

    String script() {
        List<List<String>> rows = entries.stream()
                .map(entry -> List.of(entry.title(), entry.page(), entry.address(), entry.text()))
                .toList();
        return "window.searchIndex = " + Json.line(rows) + ";\n";
    }
}
