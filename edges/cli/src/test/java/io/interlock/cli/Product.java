package io.interlock.cli;

import io.interlock.servers.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The product as people have it: in jars, with an archive of its classes and the unpacked library of the SQLite driver. */
final class Product {

    private static final Path NATIVE = ChildJvm.HOME.resolve("native");
    private static final List<String> JAVA = made();

    private Product() {}

    /** The words that start a JVM with the class path of this test; options and the main class follow. */
    static List<String> java() {
        return new ArrayList<>(JAVA);
    }

    /** The driver removes its copy of the library at its end, so the command of the trial keeps one. */
    private static List<String> made() {
        String keep = "mkdir -p " + NATIVE + " && for f in " + ChildJvm.HOME + "/sqlite-*sqlitejdbc.*[!k]; do cp $f "
                + NATIVE + "/${f##*-}; done";
        String store = "sqlite:" + ChildJvm.HOME.resolve("trial.db");
        List<String> command = List.of(
                "-Dorg.sqlite.tmpdir=" + ChildJvm.HOME,
                Main.class.getName(),
                "run",
                "-n",
                "trial",
                "--store",
                store,
                "--",
                "sh",
                "-c",
                keep);
        // A server that cannot listen ends by itself.
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return withLibrary(ChildJvm.java(List.of(command, ChildJvm.server(store, taken))));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static List<String> withLibrary(List<String> java) throws IOException {
        try (Stream<Path> libraries = Files.list(NATIVE)) {
            Path library = libraries.findFirst().orElseThrow();
            java.addAll(List.of("-Dorg.sqlite.lib.path=" + NATIVE, "-Dorg.sqlite.lib.name=" + library.getFileName()));
            return java;
        }
    }
}
