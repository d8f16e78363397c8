package samples.broken.spi;

/** What a store implements. */
public interface Contract {
    /** One step. */
    String step(String key);
}
