package io.interlock.store.firestore;

import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.DocumentMask;
import com.google.firestore.v1.Precondition;
import com.google.firestore.v1.RollbackRequest;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.StructuredQuery.CollectionSelector;
import com.google.firestore.v1.StructuredQuery.CompositeFilter;
import com.google.firestore.v1.StructuredQuery.FieldFilter;
import com.google.firestore.v1.StructuredQuery.FieldReference;
import com.google.firestore.v1.StructuredQuery.Filter;
import com.google.firestore.v1.StructuredQuery.Order;
import com.google.firestore.v1.TransactionOptions;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import com.google.protobuf.ByteString;
import com.google.protobuf.Int32Value;
import com.google.protobuf.Timestamp;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.store.document.Documents;
import io.interlock.store.document.Fields;
import io.interlock.store.document.KeyDocument;
import io.interlock.store.document.StoreDocument;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Documents in Firestore. The end of a lease, and of a quiet period, is stored as a length: it counts from the commit
 * that wrote it, whose time is the document's update time. If a later write must not move it, it is stored as a time.
 *
 * <p>Thread-safe.
 */
final class FirestoreDocuments implements Documents {

    /** The keys of the largest request. */
    private static final int KEYS_PER_READ = 100;

    /** Instead of {@code expiresAt}: microseconds from the update time. */
    private static final String LASTS = "lastsMicros";

    /** Instead of {@code quietUntil}: microseconds from the update time. */
    private static final String QUIET = "quietMicros";

    /** Makes each document differ from the one before: an equal one would keep its update time. */
    private static final String WRITTEN = "readAt";

    /** For a policy of time-to-live. */
    private static final String DELETE_AT = "deleteAt";

    /** Three times the longest lease there can be: a token by the clock is then greater than the forgotten one. */
    private static final Duration UNUSED = Duration.ofDays(90);

    private static final FieldReference NAME =
            FieldReference.newBuilder().setFieldPath("__name__").build();

    private final FirestorePlace place;
    private final FirestoreCalls calls;

    FirestoreDocuments(FirestorePlace place, FirestoreCalls calls) {
        this.place = place;
        this.calls = calls;
    }

    /**
     * The update times of what was read.
     *
     * @param store that of the store's document, or {@code null} if there is none
     * @param keys those of keys that have a document
     */
    private record Versions(@Nullable Timestamp store, Map<LockKey, Timestamp> keys) {}

    @Override
    public int maxKeys() {
        return KEYS_PER_READ;
    }

    @Override
    public Snapshot read(Collection<LockKey> keys) {
        BatchGetDocumentsRequest.Builder request = BatchGetDocumentsRequest.newBuilder()
                .setDatabase(place.databaseName())
                .addDocuments(place.store());
        keys.forEach(key -> request.addDocuments(place.document(key)));
        Instant now = Instant.MAX;
        List<Document> found = new ArrayList<>();
        for (BatchGetDocumentsResponse answer : calls.get(request.build())) {
            now = earlier(now, answer.hasReadTime() ? answer.getReadTime() : null);
            if (answer.hasFound()) {
                found.add(answer.getFound());
            }
        }
        return snapshot(now, found);
    }

    @Override
    public Snapshot scan(@Nullable String tenant, String namePrefix, @Nullable LockKey after, int limit) {
        String least = tenant == null ? place.before(null) : place.before(tenant, namePrefix);
        String last = after == null ? "" : place.document(after);
        boolean goesOn = Arrays.compareUnsigned(utf8(last), utf8(least)) > 0;
        StructuredQuery query = StructuredQuery.newBuilder()
                .addFrom(CollectionSelector.newBuilder()
                        .setCollectionId(place.common().prefix()))
                .setWhere(Filter.newBuilder()
                        .setCompositeFilter(CompositeFilter.newBuilder()
                                .setOp(CompositeFilter.Operator.AND)
                                .addFilters(
                                        goesOn
                                                ? name(FieldFilter.Operator.GREATER_THAN, last)
                                                : name(FieldFilter.Operator.GREATER_THAN_OR_EQUAL, least))
                                .addFilters(name(FieldFilter.Operator.LESS_THAN, place.behind(tenant)))))
                .addOrderBy(Order.newBuilder().setField(NAME).setDirection(StructuredQuery.Direction.ASCENDING))
                .setLimit(Int32Value.of(limit))
                .build();
        Instant now = Instant.MAX;
        List<Document> found = new ArrayList<>();
        for (RunQueryResponse answer : calls.query(RunQueryRequest.newBuilder()
                .setParent(place.root())
                .setStructuredQuery(query)
                .build())) {
            now = earlier(now, answer.hasReadTime() ? answer.getReadTime() : null);
            // The names are in order: the first without the prefix comes after all that have it.
            if (answer.hasDocument()
                    && (tenant == null || answer.getDocument().getName().startsWith(least))) {
                found.add(answer.getDocument());
            }
        }
        return snapshot(now, found);
    }

    @Override
    public boolean write(Snapshot snapshot, Changes changes) {
        Versions versions = (Versions) snapshot.versions();
        CommitRequest.Builder commit = CommitRequest.newBuilder().setDatabase(place.databaseName());
        if (changes.store() != null) {
            commit.addWrites(put(place.store(), fields(snapshot, changes.store()), versions.store()));
        }
        changes.keys()
                .forEach((key, document) -> commit.addWrites(put(
                        place.document(key),
                        fields(snapshot, document),
                        versions.keys().get(key))));
        changes.forgotten()
                .forEach(key -> commit.addWrites(Write.newBuilder()
                        .setDelete(place.document(key))
                        .setCurrentDocument(unchanged(versions.keys().get(key)))));
        if (changes.store() == null && !changes.granted(snapshot).isEmpty()) {
            ByteString transaction = holdingStore(versions.store());
            if (transaction == null) {
                return false;
            }
            commit.setTransaction(transaction);
        }
        return calls.commit(commit.build());
    }

    @Override
    public ChangeFeed changes() {
        return ChangeFeed.SILENT;
    }

    @Override
    public void close() {
        calls.close();
    }

    /** A transaction that fails if the store's document changes, or {@code null} if it has. */
    private @Nullable ByteString holdingStore(@Nullable Timestamp version) {
        ByteString transaction = ByteString.EMPTY;
        Timestamp current = null;
        for (BatchGetDocumentsResponse answer : calls.get(BatchGetDocumentsRequest.newBuilder()
                .setDatabase(place.databaseName())
                .addDocuments(place.store())
                .setMask(DocumentMask.newBuilder().addFieldPaths("epoch"))
                .setNewTransaction(TransactionOptions.newBuilder()
                        .setReadWrite(TransactionOptions.ReadWrite.newBuilder()
                                .setConcurrencyMode(TransactionOptions.ConcurrencyMode.OPTIMISTIC)))
                .build())) {
            if (!answer.getTransaction().isEmpty()) {
                transaction = answer.getTransaction();
            }
            if (answer.hasFound()) {
                current = answer.getFound().getUpdateTime();
            }
        }
        if (current != null && current.equals(version)) {
            return transaction;
        }
        calls.abandon(RollbackRequest.newBuilder()
                .setDatabase(place.databaseName())
                .setTransaction(transaction)
                .build());
        return null;
    }

    private Snapshot snapshot(Instant now, List<Document> found) {
        if (now.equals(Instant.MAX)) {
            throw new StoreUnavailableException(place.displayName(), "answered a read without its time");
        }
        StoreDocument store = null;
        Timestamp version = null;
        SortedMap<LockKey, KeyDocument> keys = new TreeMap<>();
        Map<LockKey, Timestamp> versions = new HashMap<>();
        for (Document document : found) {
            if (document.getName().equals(place.store())) {
                store = StoreDocument.of(fields(document, QUIET, "quietUntil"));
                version = document.getUpdateTime();
            } else {
                LockKey key = place.key(document.getName());
                keys.put(key, KeyDocument.of(fields(document, LASTS, "expiresAt")));
                versions.put(key, document.getUpdateTime());
            }
        }
        return new Snapshot(now, store, keys, new Versions(version, versions));
    }

    private static Map<String, Object> fields(Snapshot snapshot, StoreDocument store) {
        Map<String, Object> fields = store.fields();
        StoreDocument before = snapshot.store();
        if (store.quietUntil().isAfter(snapshot.now())
                && (before == null || !store.quietUntil().equals(before.quietUntil()))) {
            fields.remove("quietUntil");
            fields.put(QUIET, snapshot.now().until(store.quietUntil(), ChronoUnit.MICROS));
        }
        fields.put(WRITTEN, snapshot.now());
        return fields;
    }

    private static Map<String, Object> fields(Snapshot snapshot, KeyDocument document) {
        Map<String, Object> fields = document.fields();
        LeaseRow lease = document.lease();
        // Only an eviction writes a lease and leaves its end where it was.
        if (lease != null && lease.eviction() == null) {
            fields.remove("expiresAt");
            fields.put(LASTS, snapshot.now().until(lease.expiresAt(), ChronoUnit.MICROS));
        }
        fields.put(WRITTEN, snapshot.now());
        if (lease == null) {
            fields.put(DELETE_AT, snapshot.now().plus(UNUSED));
        } else if (!lease.awaitsProbe()) {
            fields.put(DELETE_AT, lease.opensAt().plus(UNUSED));
        }
        return fields;
    }

    private static Fields fields(Document document, String length, String end) {
        Map<String, Object> fields = new TreeMap<>();
        document.getFieldsMap().forEach((name, value) -> fields.put(name, plain(value)));
        if (fields.get(length) instanceof Long micros) {
            fields.put(end, instant(document.getUpdateTime()).plus(micros, ChronoUnit.MICROS));
        }
        return new Fields(fields);
    }

    private static Write put(String name, Map<String, Object> fields, @Nullable Timestamp version) {
        Document.Builder document = Document.newBuilder().setName(name);
        fields.forEach((field, value) -> document.putFields(field, value(value)));
        return Write.newBuilder()
                .setUpdate(document)
                .setCurrentDocument(unchanged(version))
                .build();
    }

    private static Precondition unchanged(@Nullable Timestamp version) {
        return version == null
                ? Precondition.newBuilder().setExists(false).build()
                : Precondition.newBuilder().setUpdateTime(version).build();
    }

    private static Filter name(FieldFilter.Operator operator, String document) {
        return Filter.newBuilder()
                .setFieldFilter(FieldFilter.newBuilder()
                        .setField(NAME)
                        .setOp(operator)
                        .setValue(Value.newBuilder().setReferenceValue(document)))
                .build();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Value value(Object plain) {
        Value.Builder value = Value.newBuilder();
        if (plain instanceof Long number) {
            return value.setIntegerValue(number).build();
        }
        if (plain instanceof Boolean flag) {
            return value.setBooleanValue(flag).build();
        }
        if (plain instanceof Instant time) {
            Instant exact = time.truncatedTo(ChronoUnit.MICROS);
            return value.setTimestampValue(Timestamp.newBuilder()
                            .setSeconds(exact.getEpochSecond())
                            .setNanos(exact.getNano()))
                    .build();
        }
        return value.setStringValue(plain.toString()).build();
    }

    private static Object plain(Value value) {
        return switch (value.getValueTypeCase()) {
            case INTEGER_VALUE -> value.getIntegerValue();
            case BOOLEAN_VALUE -> value.getBooleanValue();
            case TIMESTAMP_VALUE -> instant(value.getTimestampValue());
            default -> value.getStringValue();
        };
    }

    private static Instant earlier(Instant now, @Nullable Timestamp read) {
        return read == null || instant(read).isAfter(now) ? now : instant(read);
    }

    private static Instant instant(Timestamp time) {
        return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
    }
}
