package io.interlock.store.postgres;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** API keys, each call as one statement. */
final class AccessSteps {

    private AccessSteps() {}

    static Lane.Step<List<AccessKey>> add(RunCall call, AccessKey key, String actor) {
        LockKey logged = key.logKey();
        return call.rows(
                "add_key(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setInt(1, patience);
                    statement.setString(2, key.id());
                    statement.setString(3, logged.tenant());
                    statement.setString(4, logged.name());
                    statement.setString(5, key.role().name());
                    statement.setString(6, Texts.shown(key.label()));
                    statement.setString(7, key.hash());
                    Moments.set(statement, 8, key.expiresAt());
                    statement.setString(9, Texts.shown(actor));
                },
                rows -> RunReads.each(rows, AccessSteps::key));
    }

    /** The key as it is kept, if that is the one that was to be added. */
    static AccessKey added(AccessKey wanted, List<AccessKey> kept) {
        AccessKey key = kept.get(0);
        if (!key.hash().equals(wanted.hash())) {
            throw new InvalidSettingException("key id", wanted.id(), "is that of another key", "draw another");
        }
        return key;
    }

    static Lane.Step<List<AccessKey>> find(RunCall call, String id) {
        String shown = Texts.shown(id);
        return call.rows(
                "find_key(?)",
                (statement, patience) -> statement.setString(1, shown),
                rows -> RunReads.each(rows, AccessSteps::key));
    }

    static Lane.Step<List<AccessKey>> list(RunCall call, @Nullable String tenant) {
        return call.rows(
                "list_keys(?)",
                (statement, patience) -> statement.setString(1, tenant),
                rows -> RunReads.each(rows, AccessSteps::key));
    }

    static Lane.Step<List<AccessKey>> revoke(RunCall call, String id, String actor, String reason) {
        String shown = Texts.shown(id);
        return call.rows(
                "revoke_key(?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setInt(1, patience);
                    statement.setString(2, shown);
                    statement.setString(3, Texts.shown(actor));
                    statement.setString(4, Texts.shown(reason));
                },
                rows -> RunReads.each(rows, AccessSteps::key));
    }

    private static AccessKey key(Columns row) throws SQLException {
        return new AccessKey(
                row.requireText("id"),
                row.requireText("tenant"),
                Role.valueOf(row.requireText("role")),
                row.requireText("label"),
                row.requireText("hash"),
                row.requireInstant("created_at"),
                row.instant("expires_at"),
                row.instant("revoked_at"));
    }
}
