package io.interlock.example.ingestion;

import java.nio.file.Path;

/** Events in PostgreSQL. */
class PostgresIngestionFenceTest extends IngestionFenceContract {

    @Override
    Place place(Path folder) {
        return Place.postgres("fence");
    }
}
