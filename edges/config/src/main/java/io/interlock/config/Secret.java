package io.interlock.config;

import io.interlock.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A secret, or the file that contains it. {@link #toString} does not show it.
 *
 * @param text the secret itself, or {@code null} if it is in a file
 * @param file the file, or {@code null} if the secret itself is given
 */
public record Secret(@Nullable String text, @Nullable Path file) {

    /**
     * Reads the secret.
     *
     * @throws InvalidSettingException if its file cannot be read or is empty
     */
    String reveal() {
        if (text != null) {
            return text;
        }
        String kept;
        try {
            kept = file == null ? "" : Files.readString(file).strip();
        } catch (IOException unreadable) {
            throw new InvalidSettingException(
                    "secret-file", file, "cannot be read", "name a file this process may read");
        }
        if (kept.isEmpty()) {
            throw new InvalidSettingException(
                    "secret-file", String.valueOf(file), "is empty", "write the secret into it");
        }
        return kept;
    }

    @Override
    public String toString() {
        return file == null ? "***" : "in " + file;
    }
}
