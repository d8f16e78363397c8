package io.interlock;

/** A key was not granted; thrown by methods that do not return the {@link Refusal}. */
public final class RefusedException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final transient Refusal refusal;

    public RefusedException(Refusal refusal) {
        super(refusal.explanation());
        this.refusal = refusal;
    }

    /** Why the key was not granted. */
    public Refusal refusal() {
        return refusal;
    }

    @Override
    public String code() {
        return refusal.code();
    }
}
