package io.interlock.site;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
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
        StringWriter out = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.writeStartArray();
            for (Entry entry : entries) {
                json.writeStartArray();
                json.writeString(entry.title());
                json.writeString(entry.page());
                json.writeString(entry.address());
                json.writeString(entry.text());
                json.writeEndArray();
            }
            json.writeEndArray();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return "window.searchIndex = " + out + ";\n";
    }
}
