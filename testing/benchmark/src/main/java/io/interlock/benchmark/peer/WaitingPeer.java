package io.interlock.benchmark.peer;

/** One way to wait for a lock that another client holds. */
public interface WaitingPeer {

    /** Another client, with connections of its own, as if it were another process. */
    Client client() throws Exception;

    /** A client. Used by one thread. */
    interface Client extends AutoCloseable {

        /** Takes the key, and waits for that as long as it takes. */
        LockPeer.Held await(String key) throws Exception;

        @Override
        void close() throws Exception;
    }
}
