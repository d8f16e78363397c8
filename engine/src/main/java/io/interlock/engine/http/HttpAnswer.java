package io.interlock.engine.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What came back.
 *
 * @param status the status code, 200 to 599
 * @param headers by their names in small letters; of several with one name the first
 * @param cut whether there was more than the beginning
 */
public record HttpAnswer(int status, Map<String, String> headers, String body, boolean cut) {

    /** How much of a body is read, in bytes. */
    public static final int MOST = 64 * 1024;

    public HttpAnswer {
        headers = Map.copyOf(headers);
    }

    static HttpAnswer of(int status, Map<String, String> headers, byte[] body) {
        int length = Math.min(MOST, body.length);
        return new HttpAnswer(status, headers, new String(body, 0, length, StandardCharsets.UTF_8), body.length > MOST);
    }

    public boolean isSuccess() {
        return status < 300;
    }

    /** A header, by its name in small letters. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    /**
     * Reads one answer of HTTP/1.1, whatever the other side sends: a head of at most 16 KiB, and of the body one byte more than
     * {@link HttpAnswer#MOST}, so that a longer one is noticed. Used by one thread.
     */
    static final class Reader {

        private static final int MOST_HEAD = 16 * 1024;
        private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-5]\\d\\d)( .*)?");
        private static final Pattern LENGTH = Pattern.compile("\\d{1,18}");
        private static final Pattern CHUNK = Pattern.compile("([0-9A-Fa-f]{1,15})\\s*(;.*)?");
        private static final int ENOUGH = HttpAnswer.MOST + 1;

        private final InputStream in;
        private int headLeft = MOST_HEAD;

        Reader(InputStream in) {
            this.in = in;
        }

        HttpAnswer read() throws IOException {
            int status = status();
            Map<String, String> headers = headers();
            while (status < 200) {
                // Such as 100 Continue: the answer is still to come. The limit of the head holds for all of them
                // together.
                status = status();
                headers = headers();
            }
            return HttpAnswer.of(status, headers, status == 204 || status == 304 ? new byte[0] : body(headers));
        }

        private int status() throws IOException {
            String line = line();
            Matcher matcher = STATUS.matcher(line);
            if (!matcher.matches()) {
                throw new ProtocolException("the answer is not HTTP/1.1");
            }
            return Integer.parseInt(matcher.group(1));
        }

        private Map<String, String> headers() throws IOException {
            Map<String, String> headers = new HashMap<>();
            for (String line = line(); !line.isEmpty(); line = line()) {
                int colon = line.indexOf(':');
                if (colon <= 0) {
                    throw new ProtocolException("the answer has a header without a name");
                }
                String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
                String value = line.substring(colon + 1).strip();
                String before = headers.putIfAbsent(name, value);
                if (name.equals("content-length") && before != null && !before.equals(value)) {
                    throw new ProtocolException("the answer has two lengths");
                }
            }
            return headers;
        }

        private byte[] body(Map<String, String> headers) throws IOException {
            String coding = headers.get("transfer-encoding");
            if (coding != null) {
                if (!coding.equalsIgnoreCase("chunked")) {
                    throw new ProtocolException("the answer is coded in a way that was not asked for");
                }
                return chunks();
            }
            String length = headers.get("content-length");
            if (length == null) {
                return in.readNBytes(ENOUGH);
            }
            if (!LENGTH.matcher(length).matches()) {
                throw new ProtocolException("the length of the answer is no number");
            }
            return exactly(Long.parseLong(length), ENOUGH);
        }

        private byte[] chunks() throws IOException {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            while (body.size() < ENOUGH) {
                // Each line of a chunk has its own limit; their number is limited by what the chunks bring.
                headLeft = MOST_HEAD;
                Matcher matcher = CHUNK.matcher(line());
                if (!matcher.matches()) {
                    throw new ProtocolException("the answer has a chunk without a length");
                }
                long size = Long.parseLong(matcher.group(1), 16);
                if (size == 0) {
                    break;
                }
                body.write(exactly(size, ENOUGH - body.size()));
                if (body.size() < ENOUGH && !line().isEmpty()) {
                    throw new ProtocolException("the answer has a chunk longer than its length");
                }
            }
            return body.toByteArray();
        }

        /** {@code length} bytes, or only the first {@code most} of them. */
        private byte[] exactly(long length, int most) throws IOException {
            int wanted = (int) Math.min(length, most);
            byte[] bytes = in.readNBytes(wanted);
            if (bytes.length < wanted) {
                throw new EOFException("the answer broke off after " + bytes.length + " of " + length + " bytes");
            }
            return bytes;
        }

        private String line() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int b = in.read(); b != '\n'; b = in.read()) {
                if (b < 0) {
                    throw new EOFException("the connection ended before the answer did");
                }
                if (--headLeft < 0) {
                    throw new ProtocolException("the head of the answer has more than " + MOST_HEAD + " bytes");
                }
                line.write(b);
            }
            String text = line.toString(StandardCharsets.ISO_8859_1);
            return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
        }
    }
}
