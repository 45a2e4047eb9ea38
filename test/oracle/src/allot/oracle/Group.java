package allot.oracle;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A group as a vector line describes it. The lists keep the line's order, because Kafka's answer may depend on it. */
record Group(List<Topic> topics, List<Member> members) {

    /** {@code racks} is null when nothing is known of racks; {@code id} is null for the client's assignors. */
    record Topic(String name, String id, int partitions, List<List<String>> racks) {}

    /** {@code generation} is null for a member without a previous round, -1 for a claim without a generation. */
    record Member(
        String id,
        String instanceId,
        String rack,
        List<String> topics,
        Integer generation,
        Map<String, List<Integer>> owned
    ) {}

    /** Member id -> topic -> ascending partitions; every member has an entry. */
    static final class Assignment extends TreeMap<String, TreeMap<String, List<Integer>>> {
        void add(String member, String topic, int partition) {
            get(member).computeIfAbsent(topic, t -> new java.util.ArrayList<>()).add(partition);
        }

        Assignment(Group group) {
            for (Member member : group.members()) put(member.id(), new TreeMap<>());
        }

        Assignment sorted() {
            values().forEach(topics -> topics.values().forEach(partitions -> partitions.sort(null)));
            return this;
        }
    }
}
