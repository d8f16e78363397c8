package io.interlock.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files of a server that was never started: created once for all processes of this machine, and copied for each server. What cleans the
 * folder for temporary files may remove some of them; then they are created anew.
 */
record ServerTemplate(Path folder) {

    /** Written last: how many files there are, itself included. */
    private static final String COUNT = "interlock-files";

    static ServerTemplate named(String name) {
        return new ServerTemplate(TestFolders.temporary().resolve(name));
    }

    /** Whether all files are there. */
    boolean isWhole() {
        Path count = folder.resolve(COUNT);
        try {
            return Files.exists(count) && Files.readString(count).equals(count(folder));
        } catch (IOException | UncheckedIOException removed) {
            return false;
        }
    }

    /** Keeps the files in {@code made}, which is gone then. Other processes may make the same: the first wins, and all are equal. */
    void keep(Path made) throws IOException {
        Files.writeString(Files.createFile(made.resolve(COUNT)), count(made));
        if (!isWhole()) {
            Commands.run(List.of("rm", "-rf", folder.toString()));
        }
        try {
            Files.move(made, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException lost) {
            if (!Files.isDirectory(folder)) {
                throw lost;
            }
            Commands.run(List.of("rm", "-r", made.toString()));
        }
    }

    /** Copies the files into a folder. */
    void copyTo(Path to) {
        copy(folder, to);
    }

    /** Copies the content of a folder into another one. */
    static void copy(Path from, Path to) {
        Commands.run(List.of("cp", "-a", from + "/.", to.toString()));
    }

    private static String count(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return Long.toString(files.count());
        }
    }
}
