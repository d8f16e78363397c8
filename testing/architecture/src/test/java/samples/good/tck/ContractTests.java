package samples.good.tck;

import samples.good.spi.Contract;

/** Written for any store. */
public abstract class ContractTests {
    /** The store under test. */
    protected abstract Contract contract();
}
