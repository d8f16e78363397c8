package io.interlock.run;

import java.util.List;
import java.util.Map;

/**
 * What a search found, up to the limit of each kind and one more if there is more.
 *
 * @param runs runs with such an id, the newest first
 * @param keys keys with the text in their name, in the order of their names; also keys that nothing goes on under now
 * @param holders holders of leases with the text in their name
 * @param labels labels of runs, with the text in name or value
 */
public record SearchResult(
        List<Run> runs, List<KeyView> keys, List<String> holders, List<Map.Entry<String, String>> labels) {}
