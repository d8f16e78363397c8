package io.interlock.benchmark.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class FrontendMessagesTest {

    private static final int SSL_REQUEST = 80877103;
    private static final int PROTOCOL = 196608;

    @Test
    void onlySyncAndQueriesAskForAnAnswer() {
        FrontendMessages messages = begun();
        assertThat(take(messages, message('P', "a statement with S and Q"))).isFalse();
        assertThat(take(messages, message('B', "values"))).isFalse();
        assertThat(take(messages, message('E', ""))).isFalse();
        assertThat(take(messages, message('S', ""))).isTrue();
        assertThat(take(messages, message('Q', "BEGIN"))).isTrue();
        assertThat(take(messages, message('X', ""))).isFalse();
    }

    @Test
    void messagesMayComeInPieces() {
        FrontendMessages messages = begun();
        byte[] bytes = join(message('B', "SSSS"), message('S', ""));
        int asked = 0;
        for (byte each : bytes) {
            asked += messages.accept(new byte[] {each}, 1) ? 1 : 0;
        }
        assertThat(asked).isEqualTo(1);
    }

    private static FrontendMessages begun() {
        FrontendMessages messages = new FrontendMessages();
        assertThat(take(messages, start(SSL_REQUEST, ""))).isFalse();
        assertThat(take(messages, start(PROTOCOL, "user\0S\0database\0Q\0\0"))).isFalse();
        return messages;
    }

    private static boolean take(FrontendMessages messages, byte[] bytes) {
        return messages.accept(bytes, bytes.length);
    }

    private static byte[] start(int code, String rest) {
        byte[] text = rest.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(8 + text.length)
                .putInt(8 + text.length)
                .putInt(code)
                .put(text)
                .array();
    }

    private static byte[] message(char type, String body) {
        byte[] text = body.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(5 + text.length)
                .put((byte) type)
                .putInt(4 + text.length)
                .put(text)
                .array();
    }

    private static byte[] join(byte[] one, byte[] other) {
        return ByteBuffer.allocate(one.length + other.length)
                .put(one)
                .put(other)
                .array();
    }
}
