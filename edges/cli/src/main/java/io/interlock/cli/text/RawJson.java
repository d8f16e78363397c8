package io.interlock.cli.text;

/**
 * JSON that is somebody else's, such as parameters and results: passed on as it came, to the last digit and {@code null}.
 *
 * @param text the JSON
 */
public record RawJson(String text) {

    @Override
    public String toString() {
        return text;
    }
}
