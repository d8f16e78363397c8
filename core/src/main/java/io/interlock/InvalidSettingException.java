package io.interlock;

/** A setting, option or argument outside its limits, or one that contradicts another. */
public final class InvalidSettingException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String setting;
    private final String code;

    /**
     * Creates a message about a setting.
     *
     * @param setting its name as the user writes it
     * @param value the given value
     * @param broken the limit, with its numbers, continuing the sentence "setting value …"
     * @param nextStep the next step for the user
     */
    public InvalidSettingException(String setting, Object value, String broken, String nextStep) {
        this(setting, value, broken, nextStep, "invalid-request");
    }

    private InvalidSettingException(String setting, Object value, String broken, String nextStep, String code) {
        this(setting, setting + " '" + value + "' " + broken + "; " + nextStep, code);
    }

    private InvalidSettingException(String setting, String message, String code) {
        super(message);
        this.setting = setting;
        this.code = code;
    }

    /** Access was denied: a wrong password, or a missing privilege. */
    public static InvalidSettingException forbidden(String setting, Object value, String broken, String nextStep) {
        return new InvalidSettingException(setting, value, broken, nextStep, "forbidden");
    }

    /** The same, of a setting that the user knows as {@code name}. */
    public InvalidSettingException named(String name) {
        return new InvalidSettingException(
                name, name + String.valueOf(getMessage()).substring(setting.length()), code);
    }

    /** The setting's name as the user writes it. */
    public String setting() {
        return setting;
    }

    @Override
    public String code() {
        return code;
    }
}
