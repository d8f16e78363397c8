package io.interlock.example.ingestion;

import java.nio.file.Path;

/** Events in PostgreSQL. */
class PostgresIngestionTest extends IngestionContract {

    @Override
    Place place(Path folder) {
        return Place.postgres("ingestion");
    }
}
