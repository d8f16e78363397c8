/** What the SQL stores share: table names, migrations and how to cut SQL into statements. */
@NullMarked
package io.interlock.store.sql;

import org.jspecify.annotations.NullMarked;
