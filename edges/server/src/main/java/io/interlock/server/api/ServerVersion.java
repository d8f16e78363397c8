package io.interlock.server.api;

import org.jspecify.annotations.Nullable;

/** Which version of Interlock this server is. */
public final class ServerVersion {

    private ServerVersion() {}

    /** The version of its package; {@code unpackaged} if it runs from folders of classes. */
    public static String here() {
        @Nullable String version = ServerVersion.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }
}
