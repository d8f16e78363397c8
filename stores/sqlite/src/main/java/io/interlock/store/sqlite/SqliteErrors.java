package io.interlock.store.sqlite;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import java.sql.SQLException;
import java.util.Set;
import org.sqlite.SQLiteErrorCode;

final class SqliteErrors {

    private static final int ERROR = 1;
    private static final int PERM = 3;
    private static final int BUSY = 5;
    private static final int LOCKED = 6;
    private static final int READONLY = 8;
    private static final int IOERR = 10;
    private static final int CORRUPT = 11;
    private static final int FULL = 13;
    private static final int CANTOPEN = 14;
    private static final int NOTADB = 26;
    private static final Set<Integer> DUPLICATES = Set.of(
            SQLiteErrorCode.SQLITE_CONSTRAINT_UNIQUE.code,
            SQLiteErrorCode.SQLITE_CONSTRAINT_PRIMARYKEY.code,
            SQLiteErrorCode.SQLITE_CONSTRAINT_ROWID.code);

    private SqliteErrors() {}

    static boolean isBusy(SQLException failure) {
        return code(failure) == BUSY;
    }

    static boolean isDuplicate(SQLException failure) {
        return DUPLICATES.contains(failure.getErrorCode());
    }

    static StoreUnavailableException unavailable(String store, SQLException failure) {
        return new StoreUnavailableException(store, problem(failure), failure);
    }

    static InterlockException atOpening(String store, SQLException failure) {
        InterlockException error = switch (code(failure)) {
            case NOTADB ->
                new UnsafeStoreException(
                        store, "is a file, but no SQLite database", "name another file; this one is left as it is");
            case CORRUPT ->
                new UnsafeStoreException(
                        store,
                        "is damaged (" + failure.getMessage() + ")",
                        "restore a backup, then start a new epoch with 'interlock store bump-epoch'");
            case ERROR ->
                new UnsafeStoreException(
                        store,
                        "has not the tables this program expects (" + failure.getMessage() + ")",
                        "open it once with migrate=apply, or choose another prefix");
            case PERM, READONLY, CANTOPEN ->
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
            case BUSY, LOCKED ->
                "was locked by another process for longer than its timeout (" + said
                        + "); try again, or raise timeout in its URL";
            case FULL -> "is out of space, so nothing was written (" + said + "); free some disk space";
            case READONLY -> "cannot be written any more (" + said + "); look at the permissions of file and directory";
            case IOERR -> "met an error of the disk (" + said + "); look at the system's log";
            case CORRUPT, NOTADB -> "is damaged (" + said + "); stop its users and restore a backup";
            case CANTOPEN ->
                "cannot be opened any more (" + said + "); look whether file and directory are still there";
            default -> "failed (" + said + ")";
        };
    }

    // Extended codes keep the primary one in their lowest byte.
    private static int code(SQLException failure) {
        return failure.getErrorCode() & 0xff;
    }
}
