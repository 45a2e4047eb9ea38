package allot.oracle;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.apache.kafka.common.Uuid;

/**
 * One cell of the benchmark grid: so many members, partitions per member and topics, and how they subscribe. The shapes are
 * those of Kafka's own assignor benchmarks ({@code homogeneous}: everybody takes everything; {@code heterogeneous}: up to
 * five disjoint buckets of topics and members; racks: three, every partition in each), plus {@code mixed}: everybody takes a
 * random half of the topics. {@code incremental} means that all members but the last own what a full round gave them.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record Cell(String assignor, int members, int ratio, int topics, String subscriptions, boolean racks, boolean incremental) {
    private static final int RACKS = 3;
    private static final int BUCKETS = 5;

    String name() {
        return assignor + " " + members + "/" + ratio + "/" + topics + " " + subscriptions + (racks ? " racks" : "") + (incremental ? " incremental" : " full");
    }

    boolean broker() {
        return assignor.startsWith("server-");
    }

    Group group() {
        List<Group.Topic> all = allTopics();
        List<List<String>> subscriptions = subscriptionsOf(all);
        if (!incremental) return new Group(all, people(subscriptions, Map.of()));
        // The member that joins last takes the place of the last one, in its bucket.
        Group before = new Group(all, people(subscriptions.subList(0, members - 1), Map.of()));
        return new Group(all, people(subscriptions, first(before)));
    }

    private Map<String, ? extends Map<String, List<Integer>>> first(Group before) {
        if (!broker()) return ClientAssignors.answer(assignor, before);
        BrokerAssignors.Question question = new BrokerAssignors.Question(assignor, before);
        return question.walk(question.ask());
    }

    private List<Group.Topic> allTopics() {
        List<String> everywhere = new ArrayList<>();
        for (int r = 0; r < RACKS; r++) everywhere.add("rack" + r);
        List<Group.Topic> all = new ArrayList<>();
        for (int t = 0; t < topics; t++) {
            int partitions = members * ratio / topics;
            Random ids = new Random(t);
            String id = broker() ? new Uuid(ids.nextLong(), ids.nextLong()).toString() : null;
            all.add(new Group.Topic("topic" + t, id, partitions, racks ? java.util.Collections.nCopies(partitions, everywhere) : null));
        }
        return all;
    }

    private List<List<String>> subscriptionsOf(List<Group.Topic> all) {
        List<String> names = all.stream().map(Group.Topic::name).toList();
        Random random = new Random(7);
        int buckets = Math.min(BUCKETS, members);
        int memberBucket = (members + buckets - 1) / buckets;
        int topicBucket = (topics + buckets - 1) / buckets;
        List<List<String>> subscriptions = new ArrayList<>();
        for (int m = 0; m < members; m++) {
            subscriptions.add(switch (this.subscriptions) {
                case "homogeneous" -> names;
                case "heterogeneous" -> {
                    int from = Math.min(m / memberBucket * topicBucket, topics);
                    yield names.subList(from, Math.min(from + topicBucket, topics));
                }
                case "mixed" -> {
                    List<String> half = new ArrayList<>(names.stream().filter(name -> random.nextBoolean()).toList());
                    if (half.isEmpty()) half.add(names.get(random.nextInt(topics)));
                    yield half;
                }
                default -> throw new IllegalArgumentException("Subscriptions are homogeneous, heterogeneous or mixed, not " + this.subscriptions);
            });
        }
        return subscriptions;
    }

    private List<Group.Member> people(List<List<String>> subscriptions, Map<String, ? extends Map<String, List<Integer>>> owned) {
        List<Group.Member> people = new ArrayList<>();
        for (int m = 0; m < subscriptions.size(); m++) {
            String id = "member" + m;
            Map<String, List<Integer>> mine = owned.get(id);
            Integer generation = mine == null || broker() ? null : 1;
            people.add(new Group.Member(id, null, racks ? "rack" + m % RACKS : null, subscriptions.get(m), generation,
                mine == null ? Map.of() : new LinkedHashMap<>(mine)));
        }
        return people;
    }
}
