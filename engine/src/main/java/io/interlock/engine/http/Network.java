package io.interlock.engine.http;

import io.interlock.InvalidSettingException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * A range of addresses, as in {@code 10.1.0.0/16} or {@code fd00::/8}.
 *
 * @param bits how many bits all its addresses have in common
 */
public record Network(InetAddress first, int bits) {

    // What cannot be a name: nothing is looked up to read a range.
    private static final Pattern LITERAL = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");

    /**
     * Reads a range; an address alone is a range of one.
     *
     * @throws InvalidSettingException if it is none
     */
    public static Network parse(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        if (!LITERAL.matcher(address).matches()) {
            throw unreadable(text);
        }
        try {
            InetAddress first = InetAddress.getByName(address);
            int most = first.getAddress().length * 8;
            int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
            if (bits < 0 || bits > most) {
                throw unreadable(text);
            }
            return new Network(first, bits);
        } catch (UnknownHostException | NumberFormatException wrong) {
            throw unreadable(text);
        }
    }

    /** Whether {@code address} is one of it. */
    public boolean contains(InetAddress address) {
        byte[] mine = first.getAddress();
        byte[] other = address.getAddress();
        if (mine.length != other.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            int mask = 0x80 >> (bit % 8);
            if ((mine[bit / 8] & mask) != (other[bit / 8] & mask)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return first.getHostAddress() + "/" + bits;
    }

    private static InvalidSettingException unreadable(String text) {
        return new InvalidSettingException(
                "network", text, "is no range of addresses", "write it as 10.1.0.0/16 or fd00::/8");
    }
}
