package io.interlock.store.sql;

import io.interlock.access.SignIn;
import io.interlock.access.SignIn.Person;
import io.interlock.access.SignIns;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The table {@code sign_in}: sign-ins with a browser, without their secrets. Safe for use by many threads. */
final class SignInTable implements SignIns {

    private static final String COLUMNS =
            "hash text, key_id text, label text, roles text, opened_at bigint, used_at bigint";
    private static final String FIND =
            "SELECT " + Dialect.select("x", COLUMNS) + " FROM ${t:sign_in} AS x WHERE x.hash = ?";
    private static final String OVER = "DELETE FROM ${t:sign_in} WHERE used_at <= ? OR opened_at <= ?";
    private static final String COUNTS = "SELECT x.key_id, count(*) FROM ${t:sign_in} AS x GROUP BY x.key_id";
    private static final String ELDEST =
            "SELECT x.hash FROM ${t:sign_in} AS x WHERE x.key_id = ? ORDER BY x.used_at, x.hash LIMIT 1";
    private static final String USED = "UPDATE ${t:sign_in} SET used_at = ? WHERE hash = ? AND used_at < ?";
    private static final String DELETE = "DELETE FROM ${t:sign_in} WHERE hash = ?";

    private final Database database;

    SignInTable(Database database) {
        this.database = database;
    }

    @Override
    public SignIn openSignIn(SignIn signIn) {
        return database.write(Database.Lane.STEPS, transaction -> {
            Found found = find(transaction, signIn.hash());
            if (found.known.isPresent()) {
                transaction.confirm();
                return found.known.get();
            }
            Instant now = found.now;
            Trip room = transaction.trip();
            room.update(OVER, Micros.of(now.minus(SignIn.IDLE)), Micros.of(now.minus(SignIn.LONGEST)));
            Map<String, Integer> counts = new HashMap<>();
            room.query(COUNTS, Trip.forEach(row -> counts.put(row.getString(1), row.getInt(2))));
            room.run();
            Optional<String> crowded = SignIn.crowded(counts, signIn.keyId());
            Trip last = transaction.trip();
            if (crowded.isPresent()) {
                new Filter(ELDEST, crowded.get())
                        .list(transaction, Trip.TEXT)
                        .forEach(hash -> last.update(DELETE, hash));
            }
            Person person = signIn.person();
            last.update(
                    transaction.dialect().insert("sign_in", COLUMNS),
                    Rows.of(
                            signIn.hash(),
                            signIn.keyId(),
                            person == null ? null : Texts.shown(person.label()),
                            person == null ? null : person.rolesText(),
                            Micros.of(now),
                            Micros.of(now)));
            transaction.commit(last);
            return signIn.opened(now);
        });
    }

    @Override
    public Optional<SignIn> findSignIn(String hash, boolean used) {
        if (!used) {
            return database.peek(transaction -> find(transaction, hash).open());
        }
        return database.write(Database.Lane.STEPS, transaction -> {
            Found found = find(transaction, hash);
            if (found.open().isEmpty()) {
                transaction.confirm();
                return found.open();
            }
            transaction.commit(USED, Micros.of(found.now), hash, Micros.of(found.now));
            return found.open().map(one -> one.used(found.now));
        });
    }

    @Override
    public Optional<SignIn> closeSignIn(String hash) {
        return database.write(Database.Lane.STEPS, transaction -> {
            Found found = find(transaction, hash);
            transaction.commit(DELETE, hash);
            return found.open();
        });
    }

    /** A sign-in, whether it has ended or not, and the time of the store. */
    private record Found(Optional<SignIn> known, Instant now) {

        Optional<SignIn> open() {
            return known.filter(one -> !one.isOver(now));
        }
    }

    private static Found find(Transaction transaction, String hash) throws SQLException {
        Trip first = transaction.trip();
        Trip.Answer<StoreRow> store = StoreRow.ask(first);
        Trip.Answer<Optional<SignIn>> known = first.query(FIND, Trip.first(SignInTable::read), hash);
        first.run();
        return new Found(known.get(), Micros.moment(store.get().now()));
    }

    private static SignIn read(ResultSet row) throws SQLException {
        String label = row.getString(3);
        return new SignIn(
                row.getString(1),
                row.getString(2),
                label == null ? null : Person.read(label, row.getString(4)),
                Micros.moment(row.getLong(5)),
                Micros.moment(row.getLong(6)));
    }
}
