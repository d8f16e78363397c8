package io.interlock.cli;

import io.interlock.servers.ChildJvm;
import java.util.ArrayList;
import java.util.List;

/** The product as people have it: in jars, with an archive of its classes and the unpacked library of the SQLite driver. */
final class Product {

    private static final List<String> JAVA = ChildJvm.java(List.of(
            List.of(Main.class.getName(), "run", "-n", "trial", "--store", ChildJvm.trialStore(), "--", "true"),
            ChildJvm.server()));

    private Product() {}

    /** The words that start a JVM with the class path of this test; options and the main class follow. */
    static List<String> java() {
        return new ArrayList<>(JAVA);
    }
}
