package io.interlock.store.sqlite;

import io.interlock.run.AuditRecord;
import io.interlock.run.Seal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * What is to be sealed. There is one writer at a time, so records are numbered one by one in the order of commits, and only what is
 * sealed is ever forgotten: a number that is missing after the head is the trace of a hand. It has a link of its own, with which no
 * record can agree, so that whoever verifies the chain finds that one was deleted there.
 */
final class Sealing {

    private final Step step;
    private final SealTable seals;
    private final AuditTable records;

    Sealing(Step step) {
        this.step = step;
        this.seals = new SealTable(step.session());
        this.records = new AuditTable(step.session());
    }

    /** Records after the head, up to the next number that is missing. */
    List<AuditRecord> unsealed(int limit) throws SQLException {
        Seal head = seals.head();
        List<AuditRecord> found = records.after(head.sequence(), limit);
        long next = found.isEmpty() ? records.lastNumber() + 1 : found.get(0).sequence();
        long lost = next - head.sequence() - 1;
        if (lost > 0 && step.mayWrite()) {
            seals.add(lost(head, Math.min(lost, limit)));
        }
        return lost > limit ? List.of() : untilOneIsMissing(found);
    }

    private static List<AuditRecord> untilOneIsMissing(List<AuditRecord> found) {
        int end = 0;
        while (end < found.size() && found.get(end).sequence() == found.get(0).sequence() + end) {
            end++;
        }
        return List.copyOf(found.subList(0, end));
    }

    private static List<Seal> lost(Seal head, long count) {
        List<Seal> links = new ArrayList<>();
        Seal last = head;
        for (long i = 0; i < count; i++) {
            long position = last.position() + 1;
            long number = last.sequence() + 1;
            last = new Seal(position, number, hash("lost " + position + " " + number + " " + last.hash()));
            links.add(last);
        }
        return links;
    }

    private static String hash(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK knows SHA-256", impossible);
        }
    }
}
