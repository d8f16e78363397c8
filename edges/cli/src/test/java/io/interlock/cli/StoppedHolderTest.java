package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.cli.Cli.Ended;
import io.interlock.cli.Cli.Running;
import io.interlock.servers.EtcdCluster;
import io.interlock.store.firestore.FirestoreServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commands under a key in etcd and in Firestore: one at a time, also if a holder is killed or sleeps through its lease.
 */
class StoppedHolderTest {

    @TempDir
    Path folder;

    @Test
    void aKilledAndASleepingHolderLoseTheirKeyInEtcd() {
        assumeTrue(EtcdCluster.isAvailable(), "etcd is not installed (Debian: etcd-server)");
        try (EtcdCluster cluster = EtcdCluster.start(1)) {
            check(cluster.url());
        }
    }

    @Test
    void aKilledAndASleepingHolderLoseTheirKeyInFirestore() {
        try (FirestoreServer server = FirestoreServer.start()) {
            check(server.url());
        }
    }

    private void check(String store) {
        Typed user = new Typed("INTERLOCK_STORE", store);
        Typed.Answer doctor = user.type("doctor");
        assertThat(doctor.code()).as(doctor.out() + doctor.err()).isZero();
        assertThat(doctor.out()).contains("a lease was taken and given back").doesNotContain("WRONG");

        Cli cli = new Cli(folder);
        Running killed = holder(cli, store);
        Ended busy = cli.startWith("INTERLOCK_STORE", store, "run", "-n", "k", "--", "true")
                .await();
        assertThat(busy.code()).as(busy.err()).isEqualTo(75);
        assertThat(busy.err()).contains("k is held");
        killed.signal("KILL");

        Running asleep = holder(cli, store);
        assertThat(token(asleep)).isGreaterThan(token(killed));
        asleep.signal("STOP");
        Running next = holder(cli, store);
        assertThat(token(next)).isGreaterThan(token(asleep));
        asleep.signal("CONT");
        Ended lost = asleep.await();
        assertThat(lost.code()).as(lost.err()).isEqualTo(121);

        assertThat(user.type("runs", "ls").code()).isEqualTo(78);
        next.closeInput();
        assertThat(next.await().code()).isZero();
    }

    private static Running holder(Cli cli, String store) {
        Running holder = cli.startWith(
                "INTERLOCK_STORE",
                store,
                "run",
                "-w",
                "60s",
                "--lease",
                "5s",
                "k",
                "--",
                "sh",
                "-c",
                "echo $INTERLOCK_TOKEN; read line; exit 0");
        await().until(() -> holder.out().endsWith("\n") || !holder.process().isAlive());
        assertThat(holder.out()).as(holder.err()).matches("\\d+\n");
        return holder;
    }

    private static long token(Running holder) {
        return Long.parseLong(holder.out().strip());
    }
}
