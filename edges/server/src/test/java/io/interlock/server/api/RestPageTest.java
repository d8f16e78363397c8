package io.interlock.server.api;

import io.interlock.server.ProjectPage;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page about REST is made from the document that routes. */
class RestPageTest {

    private static final String WORDS = """
            # REST

            Everything below is under `/api/v1`. The contract itself, with every field, is the OpenAPI 3.1 document at `/api/v1/openapi.json`; it
            routes and checks every request, so it cannot say anything else than the server does. The tables here are made from it by a test.

            ## Conventions

            - JSON in camelCase; times as RFC 3339 in UTC, always with milliseconds; durations as ISO-8601 in answers, in requests also as `30s`, `5m`.
              Unknown fields in a request are refused; in an answer there may be more than a client knows.
            - What the document requires of an answer is always there, and `null` where there is nothing to say: `stage` and `progress` of a run that has not reported, `token` of a key
              without a holder. Everything else is left out then.
            - A body that names a field twice, and a path or query that is not UTF-8, are refused: they can be read in more than one way.
            - A key contains `/`, so it travels in the query or the body, never in the path. Where `key` filters, a `*` at its end stands for the rest.
            - `GET /runs` and `GET /locks` also filter by `holder=` and by `label=name=value`, and look at up to 1,000 runs or 5,000 keys for a page; a page without items and with a `cursor` means: look further. `GET /runs` also by `until=`, by `failedSince=` (when a run failed, not when it was submitted), `error=` and `unsettled=true` (dead letters that are neither retried nor discarded); `GET /locks` by `heldFor=`; `GET /audit` by `until=`, `who=` (a part of a name), `action=` and by `actor=`: `people`
              (people and programs that asked for something: submitted, cancelled, evicted, paused), `rules`, `workers` (began and ended runs).
            - Errors are [problems](problems.md) (RFC 9457) with a `code`, the facts of the case and, where waiting helps, `Retry-After`.
            - On a [store of leases only](stores.md#redis) `/locks` (without pauses), `/janitor`, `/session` and `/config` are served as here; what needs runs is answered with 501 `needs-run-store`.
            - `X-Request-Id` is taken from the client or made, and is in the answer, the log, the problem and, as `correlation`, in the audit log: on every start, cancel, eviction, pause, resume, redrive, discard, change of a resource and
              change of an API key, with the client's `address`. What a worker does to a run (claim, end) has the id of the request that submitted the run.
            - `traceparent` is kept with the run, shown, and handed on: to commands as `TRACEPARENT`, to requests as the header, to workers with the claim.

            ## Who may do what

            `x-api-key: …` or `Authorization: Bearer …`. The tenant is the key's, never a field of the request; ids of another tenant are answered like
            ids that do not exist. Only the bootstrap key may name a tenant, by `X-Tenant`, and see the [metrics](metrics.md), which are of all
            tenants. Roles: read < trigger < worker < operator < admin, each with all that those before it may. `POST /runs` with `execution: caller` needs worker.

            Browsers sign in with `POST /session` (an API key, or the one-time code of a printed link) and get a cookie that scripts cannot read
            (`HttpOnly`, `SameSite=Strict`, over TLS `__Host-`). Whatever changes something then also needs `X-CSRF-Token`, which `POST` and `GET /session` tell. A session
            ends after 30 minutes without use, after 12 hours in any case, and with its API key. The store keeps it, so a restart ends none and every node knows it;
            after a sign-out at one node the others refuse it within 4 s. On a store of leases only it ends with the server. What a page
            requests without input of the user carries `X-Background` and does not keep the session alive; streams end with the session or the key they were opened with.

            ## On record

            `GET /audit` has, beside what was done, who was refused and who signed in, under the key `access-key/ID`:

            | action | when | `after` |
            |---|---|---|
            | `refused` | a request was answered with 401 or 403 | the operation |
            | `signed-in` · `signed-out` · `sign-in-refused` | `POST` and `DELETE /session` | the role · nothing · the operation |

            Each has the actor as far as it is known, the reason, the client's address and the request id. It belongs to the tenant of the API key that was shown, also if that key was revoked, has expired or came with a wrong secret. If the store has no such
            key, it is under `access-key/unknown` of tenant `default`, for the operator of the server. A `GET` that shows neither a key nor a session is not on record. Of one action, address and key there are at most 5 records in a minute and node; a
            further one then says how many were left out. They are written beside the requests, up to 2,000 wait while the store is away, and `interlock_access_records_total` counts what was written, left out and dropped. A store of leases only has no audit
            log: there they are lines of the log, by the logger `io.interlock.audit`. Reasons are required where [0024](decisions/0024-reasons-and-records.md) says so.

            `lastUsedAt` of an API key is from the store, so all nodes count. It is told at most once a minute by each node, and may lag by that, and by more while the store is away.

            ## Asking again

            Every request may be repeated after an answer that was lost. `idempotencyKey` (or the header `Idempotency-Key`) makes a second start the same
            run; `leaseId` and `claimId` are made by the client, so the same grant comes back; a finish repeated in the same words is answered as the
            first time; a release is always 204 for the lease's own holder.

            A caller that does the work itself (`execution: caller`) sends both: the `idempotencyKey` finds the run, and only the `leaseId` under which it was
            granted, a UUID of that one process, brings `leaseId` and `expiresAt` again. So several hosts may start the same job under the same idempotency
            key, with the same API key: one of them gets the lease, and to all others the answer is the run with `deduplicated: true` and without a lease:
            do not work. A caller whose run still waits in line is told so at once, and takes its turn by `POST /runs/{id}/claim`. A start without `leaseId`
            gets one in the first answer, and only there: if that answer is lost, the key is free again when the lease ends.

            ## Waiting

            No wait takes a thread of the server, and none lasts longer than 30 s; ask again for more.

            | wait for | how |
            |---|---|
            | work | `POST /claims` with `wait` |
            | the turn of one's own run | `POST /runs/{id}/claim` with `wait`; a caller that is silent for 15 s has left the queue |
            | a key | `POST /locks/acquire` with `wait` |
            | the end of a run | `GET /runs/{id}` or `POST /runs` with `Prefer: wait=20` |

            A wait ends with its API key: when the key is revoked or expires, the request is answered with 401, at once on the node that revoked it, within 5 s on others. The key is asked for once more
            before a grant is answered; what was granted in that very moment is handed to no client, and ends with its lease.

            A client that closes its connection no longer waits, and nothing more is asked for it. What is granted at that very moment is its own until the
            lease ends: it may have come back for it already, perhaps to another node. It finds the grant again, at any node, with the
            same `leaseId` (for a start: and `idempotencyKey`) or `claimId`. A server that stops answers all who wait with 503 `shutting-down`; another node takes them in, and
            the same holds for what they are granted at that moment. An ingestion with `wait` has no such ids: one that starts at that
            moment is cancelled, if the node still reaches its store.

            ## Pages

            Listings have at most `limit` items (50, at most 200) and, if there are more, a `cursor` for the next page. Runs and audit records come the newest
            first, locks in the order of their keys, API keys the oldest first. A cursor is a place in that order, so what comes and ends meanwhile moves nothing.

            `GET /locks/line` has the runs that wait for one key, from the front: place, submitter, since when, and about when they start. The estimate takes the median of the key's last 20 successful runs for each run ahead, and for the holder what is left of the median,
            or of its stage by its progress if that is longer; a holder without stages is judged by its progress alone. There is none without past runs, under a pause without an end, or behind a lease without a run; `holderLeft` zero means that the holder takes longer than usual and the first may start at any moment.
            A page costs the same at the end of a long queue as at its front.

            ## What goes on

            `GET /summary` counts the whole tenant at one moment: keys in use by state, runs that have not ended by state, open dead letters, and what failed in the last hour, all of it and by job and error code. A run that was stopped has not failed. It names the longest wait, the keys that most runs
            wait for, runs of jobs that no live worker does, and under `attention` what a person should look at, in this order: `LOST` (a worker or its lease vanished), `OVERDUE`, `HOT` (10 or more wait for a key), `NO_WORKER`, `FAILED`, `RESTARTED` (work that a shutdown
            stopped), `DEAD`, `PAUSED`. It reads each key in use and each open run, and of history only the failures of the last hour. On a server, a summary that took longer than 100 ms is given to later callers for four times as long as it took; `at` says when it was made.

            `GET /history?window=1h|24h|7d` has what became of runs in each minute, ten minutes or hour: how many succeeded, failed and were stopped, the greatest number that was seen waiting, and how long attempts had their keys (`holdP50`, `holdP95`, at most a tenth off).
            With `job=` it is that of one job. Each process counts in memory and adds to the store every 5 seconds; a period with `counted: false` is one in which no process counted, so nothing is known about it. See [decision 0029](decisions/0029-periods.md).

            `GET /locks/holds?key=` has who had a key, from the audit log: each attempt with its token, its end, and whether its lease was lost; and the pauses of the time. `unknown` says where there may be others: older ones than were asked for (`NOT_READ`), times whose records may be
            deleted (`FORGOTTEN`), and before a lease without a run (`LEASES`), because such leases leave no record.

            `GET /search` finds what is called so, in small or capital letters: runs by their id, by 8 or more of its first digits, or by its last 8, which the UI shows; keys by any part of their name, also keys that are free now and had runs; jobs, holders and labels
            (`name=value`). Last digits and labels are found among open runs, failed runs (digits only) and the newest 20,000 of the tenant. `more` names the kinds of which there are more than `limit`.

            ## Events

            `GET /stream` is a stream of server-sent events of the caller's tenant, whichever node did what: it follows the sealed audit log of the store.
            `run.submitted`, `run.pending`, `run.running`, `run.succeeded`, … and `lock.evicted`, `lock.paused`, `lock.resumed`, `resource.changed` have
            an `id` (a run that can start at once is told by `run.submitted` alone, with `after` PENDING); with it as `Last-Event-ID` (browsers send it by themselves) a reader goes on where it was, on any node. If that place is no longer there,
            a `reset` comes first: look at everything anew. `lock.changed`, `worker.changed` and `janitor.swept` have no id: they say how something stands
            now, stage and progress included, and are not told twice. `topic` chooses among `runs`, `locks`, `workers`, `janitor`. A reader that takes
            nothing for 30 s is cut off, and one that catches up before that gets a `reset` for what it was not told; an API key may have 20 streams open at a node.

            """;

    @Test
    void thePageAboutRestIsTheContract() {
        JsonObject document = ContractDocument.read(Api.DOCUMENT);
        StringBuilder page = new StringBuilder(WORDS).append("## Operations\n");
        for (Object each : document.getJsonArray("tags")) {
            JsonObject tag = (JsonObject) each;
            page.append("\n### ")
                    .append(title(tag.getString("name")))
                    .append("\n\n| call | role | answers | |\n|---|---|---|---|\n");
            document.getJsonObject("paths")
                    .forEach(path -> ((JsonObject) path.getValue()).forEach(method -> {
                        JsonObject operation = (JsonObject) method.getValue();
                        if (operation.getJsonArray("tags").contains(tag.getString("name"))) {
                            page.append(row(method.getKey(), path.getKey(), operation));
                        }
                    }));
        }
        ProjectPage.compare("docs/rest.md", page.toString());
    }

    private static String row(String method, String path, JsonObject operation) {
        String good = operation.getJsonObject("responses").fieldNames().stream()
                .filter(status -> status.startsWith("2"))
                .collect(Collectors.joining(" "));
        String bad = operation.getJsonArray("x-problems", new JsonArray()).stream()
                .map(code -> "[" + code + "](problems.md#" + code + ")")
                .collect(Collectors.joining(" "));
        return "| `" + method.toUpperCase(Locale.ROOT) + " " + path + "` | " + operation.getString("x-role") + " | "
                + good + (bad.isEmpty() ? "" : " · " + bad) + " | " + operation.getString("summary") + " |\n";
    }

    private static String title(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }
}
