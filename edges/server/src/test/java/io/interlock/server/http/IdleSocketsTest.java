package io.interlock.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Thousands of connections that say nothing, or half of something. */
class IdleSocketsTest {

    /** Each takes two descriptors here, the client's and the server's. */
    private static final int SOCKETS = 5_000;

    @Test
    void thousandsWhoSayNothingHoldUpNobody() throws IOException {
        EngineRig rig = EngineRig.on("memory:");
        List<SocketChannel> idle = new ArrayList<>();
        try {
            rig.get("/jobs", Role.READ).is(200);
            InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), rig.server.port());
            byte[] half = "POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nX-Half: ".getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < SOCKETS; i++) {
                SocketChannel socket = SocketChannel.open(server);
                if (i % 2 == 0) {
                    socket.write(ByteBuffer.wrap(half));
                }
                idle.add(socket);
            }
            for (int i = 0; i < 50; i++) {
                rig.post("/runs", Role.TRIGGER, "{\"key\": \"idle/" + i + "\", \"job\": \"quick\"}")
                        .is(201);
            }
            assertThat(Thread.getAllStackTraces()).as("no thread for each").hasSizeLessThan(SOCKETS / 10);
        } catch (IOException tooMany) {
            assertThat(idle).as("descriptors for as many as the machine allows").hasSizeGreaterThan(500);
        } finally {
            for (SocketChannel socket : idle) {
                socket.close();
            }
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> rig.get("/jobs", Role.READ).status() == 200);
            rig.closeAll();
        }
    }
}
