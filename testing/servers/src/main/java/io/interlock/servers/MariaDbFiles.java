package io.interlock.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The installed programs of MariaDB, and the files of new servers: created once, copied for each server. */
final class MariaDbFiles {

    /** Small files are quick to copy; the server is started with the same size. */
    static final String LOG_SIZE = "--innodb-log-file-size=16M";

    /** Space for several servers of parallel tests. */
    private MariaDbFiles() {}

    /** The path of an installed program, if there is one. */
    static Optional<Path> program(String name) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(
                        // Servers are often not on the path of users.
                        Stream.of("/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin"),
                        Stream.of(path.split(":", -1)).filter(folder -> !folder.isEmpty()))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** The program {@code name}, which must be installed. */
    static Path require(String name) {
        return program(name)
                .orElseThrow(() -> new IllegalStateException("no " + name + "; install the package mariadb-server"));
    }

    /** A new folder with a folder {@code data}: the files of a server that was never started. */
    static Path fresh() {
        try {
            Path folder = TestFolders.inMemory("interlock-mariadb");
            copy(template(), Files.createDirectory(folder.resolve("data")));
            return folder;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Copies the content of a folder into another one. */
    static void copy(Path from, Path to) {
        Commands.run(List.of("cp", "-a", from + "/.", to.toString()));
    }

    /** The output of mariadb-install-db, created once for each version of the server. */
    private static Path template() throws IOException {
        Path server = require("mariadbd");
        Path template = TestFolders.temporary()
                .resolve("interlock-mariadb-template-" + System.getProperty("user.name") + "-" + Files.size(server)
                        + "-" + Files.getLastModifiedTime(server).toMillis());
        if (!Files.isDirectory(template)) {
            Path made = Files.createTempDirectory("interlock-mariadb-template");
            List<String> command =
                    new ArrayList<>(List.of(require("mariadb-install-db").toString(), "--no-defaults"));
            command.addAll(account());
            command.addAll(List.of("--datadir=" + made, "--auth-root-authentication-method=normal", "--skip-test-db"));
            command.addAll(List.of("--skip-name-resolve", LOG_SIZE));
            Commands.run(command);
            moveUnlessThere(made, template);
        }
        return template;
    }

    /** Other processes may create the same files: the first wins, and all are equal. */
    static void moveUnlessThere(Path made, Path template) throws IOException {
        try {
            Files.move(made, template, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException lost) {
            if (!Files.isDirectory(template)) {
                throw lost;
            }
            Commands.run(List.of("rm", "-r", made.toString()));
        }
    }

    /** MariaDB needs an option to run as root. */
    static List<String> account() {
        return System.getProperty("user.name").equals("root") ? List.of("--user=root") : List.of();
    }
}
