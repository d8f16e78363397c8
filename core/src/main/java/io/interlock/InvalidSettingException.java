package io.interlock;

/** A setting, option or argument outside its limits, or one that contradicts another. */
public final class InvalidSettingException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String setting;

    /**
     * Says what is wrong with a setting.
     *
     * @param setting its name as the user writes it
     * @param value what was given
     * @param broken the limit, with its numbers, continuing the sentence "setting value …"
     * @param nextStep what to do about it
     */
    public InvalidSettingException(String setting, Object value, String broken, String nextStep) {
        super(setting + " '" + value + "' " + broken + "; " + nextStep);
        this.setting = setting;
    }

    /** The setting's name as the user writes it. */
    public String setting() {
        return setting;
    }

    @Override
    public String code() {
        return "invalid-request";
    }
}
