package io.interlock.store.sqlite;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;
import org.sqlite.SQLiteErrorCode;

final class SqliteErrors {

    private static final Set<SQLiteErrorCode> DUPLICATES = EnumSet.of(
            SQLiteErrorCode.SQLITE_CONSTRAINT_UNIQUE,
            SQLiteErrorCode.SQLITE_CONSTRAINT_PRIMARYKEY,
            SQLiteErrorCode.SQLITE_CONSTRAINT_ROWID);

    private SqliteErrors() {}

    static boolean isBusy(SQLException failure) {
        return code(failure) == SQLiteErrorCode.SQLITE_BUSY;
    }

    static boolean isDuplicate(SQLException failure) {
        return DUPLICATES.contains(SQLiteErrorCode.getErrorCode(failure.getErrorCode()));
    }

    static StoreUnavailableException unavailable(String store, SQLException failure) {
        return new StoreUnavailableException(store, problem(failure), failure);
    }

    static InterlockException atOpening(String store, SQLException failure) {
        InterlockException error = switch (code(failure)) {
            case SQLITE_NOTADB ->
                new UnsafeStoreException(
                        store, "is a file, but no SQLite database", "name another file; this one is left as it is");
            case SQLITE_CORRUPT ->
                new UnsafeStoreException(
                        store,
                        "is damaged (" + failure.getMessage() + ")",
                        "restore a backup, then start a new epoch with 'interlock store bump-epoch'");
            case SQLITE_ERROR ->
                new UnsafeStoreException(
                        store,
                        "has not the tables this program expects (" + failure.getMessage() + ")",
                        "open it once with migrate=apply, or choose another prefix");
            case SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN ->
                new InvalidSettingException(
                        "store",
                        store,
                        "cannot be opened for writing (" + failure.getMessage() + ")",
                        "create the file's directory and allow this user to write in it, and to the file");
            default -> unavailable(store, failure);
        };
        if (error.getCause() == null) {
            error.addSuppressed(failure);
        }
        return error;
    }

    private static String problem(SQLException failure) {
        String said = failure.getMessage();
        return switch (code(failure)) {
            case SQLITE_BUSY, SQLITE_LOCKED ->
                "was locked by another process for longer than its timeout (" + said
                        + "); try again, or raise timeout in its URL";
            case SQLITE_FULL -> "is out of space, so nothing was written (" + said + "); free some disk space";
            case SQLITE_READONLY ->
                "cannot be written any more (" + said + "); look at the permissions of file and directory";
            case SQLITE_IOERR -> "met an error of the disk (" + said + "); look at the system's log";
            case SQLITE_CORRUPT, SQLITE_NOTADB -> "is damaged (" + said + "); stop its users and restore a backup";
            case SQLITE_CANTOPEN ->
                "cannot be opened any more (" + said + "); look whether file and directory are still there";
            default -> "failed (" + said + ")";
        };
    }

    // Extended codes keep the primary one in their lowest byte.
    private static SQLiteErrorCode code(SQLException failure) {
        return SQLiteErrorCode.getErrorCode(failure.getErrorCode() & 0xff);
    }
}
