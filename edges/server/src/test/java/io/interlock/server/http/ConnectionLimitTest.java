package io.interlock.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.InvalidSettingException;
import io.interlock.access.Role;
import io.interlock.config.Limits;
import io.interlock.config.Listen;
import io.interlock.server.api.Rig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How many connections there may be. */
class ConnectionLimitTest {

    private static final ClientAddress PEERS = new ClientAddress(List.of());

    @Test
    void anAddressMayNotHaveThemAll() throws IOException {
        try (Rig rig = new Rig(new Listen("127.0.0.1", 0, null, false, null), limits(50, 10))) {
            List<SocketChannel> idle = new ArrayList<>();
            try {
                for (int i = 0; i < 30; i++) {
                    idle.add(connect(rig, "127.0.0.9"));
                }
                await().until(() -> closed(idle).size() == 20);
                assertThat(rig.get("/api/v1/runs", rig.key("acme", Role.READ)).statusCode())
                        .as("from another address")
                        .isEqualTo(200);
                for (SocketChannel each : idle) {
                    each.close();
                }
                await().until(() -> answers(rig, "127.0.0.9"));
            } finally {
                for (SocketChannel each : idle) {
                    each.close();
                }
            }
        }
    }

    @Test
    void beyondTheLimitOfAllConnectionsAreClosed() throws IOException {
        try (Rig rig = new Rig(new Listen("127.0.0.1", 0, null, false, null), limits(20, 20))) {
            List<SocketChannel> idle = new ArrayList<>();
            try {
                for (int i = 0; i < 25; i++) {
                    idle.add(connect(rig, "127.0.0." + (10 + i)));
                }
                await().until(() -> closed(idle).size() == 5);
            } finally {
                for (SocketChannel each : idle) {
                    each.close();
                }
            }
            await().until(() -> answers(rig, "127.0.0.9"));
        }
    }

    @Test
    void thereAreAlwaysFewerThanFilesOfTheProcess() {
        assertThat(ConnectionLimit.of(Limits.Connections.AUTOMATIC, PEERS, 1_024)
                        .most())
                .isEqualTo(768);
        assertThat(ConnectionLimit.of(Limits.Connections.AUTOMATIC, PEERS, 10_000)
                        .most())
                .isEqualTo(8_000);
        assertThat(ConnectionLimit.of(Limits.Connections.AUTOMATIC, PEERS, 1_000_000)
                        .most())
                .isEqualTo(20_000);
        assertThatThrownBy(() -> ConnectionLimit.of(new Limits.Connections(900, null), PEERS, 1_024))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("900")
                .hasMessageContaining("768")
                .hasMessageContaining("1024")
                .hasMessageContaining("ulimit -n");
    }

    private static Limits limits(int most, int ofAnAddress) {
        return new Limits(
                1_000,
                20,
                1_000,
                Duration.ofSeconds(30),
                Duration.ofSeconds(60),
                5,
                Limits.Tenant.DEFAULT,
                new Limits.Connections(most, ofAnAddress));
    }

    private static SocketChannel connect(Rig rig, String from) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.bind(new InetSocketAddress(from, 0));
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), rig.server.port()));
        channel.configureBlocking(false);
        return channel;
    }

    private static List<SocketChannel> closed(List<SocketChannel> all) {
        return all.stream()
                .filter(channel -> {
                    try {
                        return channel.read(ByteBuffer.allocate(1)) < 0;
                    } catch (IOException reset) {
                        return true;
                    }
                })
                .toList();
    }

    private static boolean answers(Rig rig, String from) {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), rig.server.port(), InetAddress.getByName(from), 0)) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream()
                    .write("GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                    .startsWith("HTTP/1.1 200");
        } catch (IOException refused) {
            return false;
        }
    }
}
