package io.interlock.benchmark.server;

import io.interlock.servers.LoopbackPort;
import java.io.IOException;
import redis.embedded.RedisServer;

/** A Redis without persistence, which is how it is fastest. */
public final class RedisUnderTest implements AutoCloseable {

    private final RedisServer server;
    private final int port;

    private RedisUnderTest(RedisServer server, int port) {
        this.server = server;
        this.port = port;
    }

    /** Starts it. */
    public static RedisUnderTest start() throws IOException {
        int port = LoopbackPort.free();
        RedisServer server =
                RedisServer.builder().port(port).setting("save \"\"").build();
        server.start();
        return new RedisUnderTest(server, port);
    }

    /** Where it listens. */
    public int port() {
        return port;
    }

    /** For Interlock. It is new and empty, which Interlock must be told to grant at once. */
    public String storeUrl() {
        return "redis://127.0.0.1:" + port + "?firstUse=true";
    }

    @Override
    public void close() throws IOException {
        server.stop();
    }
}
