package io.interlock.engine.access;

import io.interlock.InterlockException;

/** A tenant has as much of something as it may have. Nothing was done; the same request may be made again later. */
public final class TenantLimitException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String tenant;
    private final String setting;
    private final long limit;

    public TenantLimitException(String tenant, String what, String setting, long limit, String nextStep) {
        super("tenant " + tenant + " has " + limit + " " + what + ", which is as many as " + setting + " allows; "
                + nextStep + ", or set a higher limit");
        this.tenant = tenant;
        this.setting = setting;
        this.limit = limit;
    }

    public String tenant() {
        return tenant;
    }

    public String setting() {
        return setting;
    }

    public long limit() {
        return limit;
    }

    @Override
    public String code() {
        return "tenant-limit";
    }
}
