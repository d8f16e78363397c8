package io.interlock.access;

import java.util.Optional;

/** Keeps sign-ins with a browser, without their secrets, until they end by the store's clock. */
public interface SignIns {

    /**
     * Stores a sign-in that begins now; the same one again changes nothing. It deletes those that are over, and ends another one where
     * {@link SignIn#crowded} says so; those that begin at the same moment may exceed the limits.
     *
     * @return the stored sign-in
     */
    SignIn openSignIn(SignIn signIn);

    /**
     * The sign-in with that hash, if it has not ended.
     *
     * @param used whether it counts as used now
     */
    Optional<SignIn> findSignIn(String hash, boolean used);

    /**
     * Ends a sign-in.
     *
     * @return which it was; empty if there is none, or it had ended before
     */
    Optional<SignIn> closeSignIn(String hash);
}
