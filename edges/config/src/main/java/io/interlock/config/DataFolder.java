package io.interlock.config;

import io.interlock.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/**
 * Where the store is if nobody names one: a SQLite file in the user's data folder, {@code $XDG_DATA_HOME/interlock} or
 * {@code ~/.local/share/interlock}.
 */
public final class DataFolder {

    private final Path folder;

    private DataFolder(Path folder) {
        this.folder = folder;
    }

    /** The folder of the user whose variables these are. */
    public static DataFolder of(Map<String, String> environment) {
        String data = environment.getOrDefault("XDG_DATA_HOME", "");
        String home = environment.getOrDefault("HOME", "");
        // Relative paths in XDG_DATA_HOME do not count, says its specification.
        Path base = data.startsWith("/")
                ? Path.of(data)
                : Path.of(home.isEmpty() ? System.getProperty("user.home", ".") : home, ".local", "share");
        return new DataFolder(base.resolve("interlock"));
    }

    /** The URL of the store in it. */
    public String storeUrl() {
        return "sqlite:" + folder.resolve("interlock.db");
    }

    /**
     * Makes the folder, for its owner only, if {@code store} is the one in it.
     *
     * @throws InvalidSettingException if it cannot be made
     */
    public void prepareFor(String store) {
        if (!store.equals(storeUrl()) || Files.isDirectory(folder)) {
            return;
        }
        try {
            Path above = folder.getParent();
            if (above != null) {
                Files.createDirectories(above);
            }
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException cannot) {
            throw new InvalidSettingException(
                    "store",
                    store,
                    "cannot have its folder made: " + cannot,
                    "name another store: --store sqlite:PATH");
        }
    }
}
