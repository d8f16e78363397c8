package io.interlock.example.ingestion;

import java.nio.file.Path;

/** Events in a file. */
class SqliteIngestionTest extends IngestionContract {

    @Override
    Place place(Path folder) {
        return Place.files(folder);
    }
}
