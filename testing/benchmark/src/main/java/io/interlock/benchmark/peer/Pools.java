package io.interlock.benchmark.peer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.interlock.benchmark.server.PostgresAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Connections for peers that use JDBC. */
final class Pools {

    /** More than this was slower on two cores. */
    static final int SIZE = 16;

    private Pools() {}

    static HikariDataSource open(PostgresAddress address, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(address.jdbcUrl());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    static void execute(DataSource source, String... statements) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    static long number(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
