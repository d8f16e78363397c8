package io.interlock.store.postgres;

import io.interlock.servers.PostgresServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares what the rows of keys say about their runs with the rows of these runs. Each question is one statement, so it sees the
 * tables as they are between two steps, whatever is under way.
 */
final class RowsAudit {

    private static final String SOME = " LIMIT 5) AS found";

    private final PostgresServer server;
    private final Map<String, String> questions = new LinkedHashMap<>();

    RowsAudit(PostgresHarness harness) {
        server = harness.server();
        String lease = harness.table("lease");
        String open = harness.table("open_run");
        String run = harness.table("run");
        String pause = harness.table("pause");
        String counts = "(SELECT l.*, (SELECT count(*) FROM " + open
                + " q WHERE q.tenant = l.tenant AND q.name = l.name AND q.busy = 0) AS waiting,"
                + " (SELECT count(*) FROM " + open
                + " q WHERE q.tenant = l.tenant AND q.name = l.name AND q.busy = 0 AND q.rank > q.place) AS waiting_resting,"
                + " (SELECT min(q.due_at) FROM " + open
                + " q WHERE q.tenant = l.tenant AND q.name = l.name AND q.busy = 0) AS waiting_due,"
                + " (SELECT count(*) FROM " + open
                + " q WHERE q.tenant = l.tenant AND q.name = l.name AND q.busy = 1) AS busy_runs,"
                + " EXISTS (SELECT 1 FROM " + pause + " p WHERE p.tenant = l.tenant) AS may_be_paused FROM " + lease
                + " l) AS k";
        ask(
                "queued is not the number of waiting runs",
                "SELECT k.tenant || '/' || k.name || ' ' || k.queued || ' ' || k.waiting FROM " + counts
                        + " WHERE k.queued <> k.waiting");
        ask(
                "resting is not the number of resting runs",
                "SELECT k.tenant || '/' || k.name || ' ' || k.resting || ' ' || k.waiting_resting FROM " + counts
                        + " WHERE k.resting <> k.waiting_resting");
        ask(
                "a key with runs is plain",
                "SELECT k.tenant || '/' || k.name FROM " + counts
                        + " WHERE k.plain = 1 AND (k.waiting > 0 OR k.busy_runs > 0 OR k.reserved_for IS NOT NULL)");
        ask(
                "an open run has no key",
                "SELECT q.tenant || '/' || q.name FROM " + open + " q WHERE NOT EXISTS (SELECT 1 FROM " + lease
                        + " l WHERE l.tenant = q.tenant AND l.name = q.name)");
        ask(
                "a key is due after one of its waiting runs",
                "SELECT k.tenant || '/' || k.name || ' ' || coalesce(k.due_at, 0) || ' ' || k.waiting_due FROM "
                        + counts
                        + " WHERE k.waiting_due IS NOT NULL AND (k.due_at IS NULL OR k.due_at > k.waiting_due)");
        ask(
                "a key is kept for a run that is not there",
                "SELECT l.tenant || '/' || l.name FROM " + lease
                        + " l WHERE l.reserved_for IS NOT NULL AND NOT EXISTS (SELECT 1 FROM " + open
                        + " q WHERE q.tenant = l.tenant AND q.name = l.name AND q.run_id = l.reserved_for AND q.state ="
                        + " CASE WHEN l.reserved_until IS NULL THEN 'PENDING' ELSE 'QUEUED' END)");
        ask(
                "a busy run has not its key",
                "SELECT q.tenant || '/' || q.name || ' ' || q.state FROM " + open + " q JOIN " + lease
                        + " l ON l.tenant = q.tenant AND l.name = q.name WHERE q.busy = 1 AND NOT CASE q.state"
                        + " WHEN 'PENDING' THEN l.lease_id IS NULL AND l.reserved_for IS NOT DISTINCT FROM q.run_id"
                        + " ELSE l.reserved_for IS NULL AND l.lease_id IS NOT NULL AND l.run_id IS NOT DISTINCT FROM q.run_id AND q.due_at IS NOT NULL END");
        ask(
                "a free key with ready runs waits for nothing",
                "SELECT k.tenant || '/' || k.name FROM " + counts
                        + " WHERE k.waiting > k.waiting_resting AND k.busy_runs = 0 AND k.reserved_for IS NULL AND k.lease_id IS NULL"
                        + " AND k.due_at IS NULL AND k.blocked_number IS NULL AND NOT k.may_be_paused");
        ask(
                "runs wait behind a lease whose end is not looked for",
                "SELECT k.tenant || '/' || k.name FROM " + counts
                        + " WHERE k.waiting > 0 AND k.lease_id IS NOT NULL AND k.probed = 0 AND k.busy_runs = 0"
                        + " AND k.due_at IS NULL AND k.blocked_number IS NULL AND NOT k.may_be_paused");
        ask(
                "a run that waits for a worker cannot be claimed",
                "SELECT q.tenant || '/' || q.name FROM " + open
                        + " q WHERE q.state = 'PENDING' AND q.claimable = 0 AND NOT EXISTS (SELECT 1 FROM " + pause
                        + " p WHERE p.tenant = q.tenant)");
        ask(
                "a run that does not wait for a worker can be claimed",
                "SELECT q.tenant || '/' || q.name FROM " + open + " q WHERE q.state <> 'PENDING' AND q.claimable = 1");
        ask(
                "a run is open in one table only",
                "SELECT r.run_id FROM " + run + " r FULL JOIN " + open
                        + " q ON q.run_id = r.run_id WHERE r.run_id IS NULL OR (r.state IS NULL) <> (q.run_id IS NOT NULL)");
        ask(
                "rank or number of a run differ",
                "SELECT q.run_id FROM " + open + " q JOIN " + run
                        + " r ON r.run_id = q.run_id WHERE q.place <> r.place OR q.number <> r.number OR q.busy = 0 AND (q.seq <> q.number"
                        + " OR q.rank NOT IN (q.place, q.place + 2305843009213693952))");
    }

    private void ask(String finding, String question) {
        questions.put(
                finding,
                "SELECT coalesce(string_agg(found.t, ', '), '') FROM (SELECT CAST(x.* AS text) AS t FROM (" + question
                        + ") AS x" + SOME);
    }

    List<String> findings() {
        List<String> found = new ArrayList<>();
        questions.forEach((finding, question) -> {
            String some = server.ask(question);
            if (!some.isEmpty()) {
                found.add(finding + ": " + some);
            }
        });
        return found;
    }
}
