package allot.oracle;

import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.PartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;
import org.apache.kafka.coordinator.group.modern.TopicIds;
import org.apache.kafka.image.TopicsDelta;
import org.apache.kafka.image.TopicsImage;

/**
 * Asks the assignors of kafka-group-coordinator. The question is put together as the broker's target assignment builder
 * does it: a hash map of members, subscriptions as names that resolve to topic ids, and previous targets as unmodifiable
 * hash maps. The subscription type is decided by names, as the broker's group does.
 *
 * Three orders are data, because Kafka walks hash maps whose buckets keep the order of insertion: that of the members,
 * that of a member's topics (the broker holds them in a HashSet of names) and that of what it owns.
 */
final class BrokerAssignors {
    static final List<String> NAMES = List.of("server-range", "server-uniform");

    private BrokerAssignors() {}

    static final class Question {
        private final PartitionAssignor assignor;
        private final Group group;
        private final Topics topics;
        private final GroupSpec spec;

        Question(String name, Group group) {
            this.assignor = assignor(name);
            this.group = group;
            this.topics = new Topics(group.topics());
            this.spec = spec(group, topics);
        }

        GroupAssignment ask() {
            return assignor.assign(spec, topics);
        }

        /** The answer in the order in which Kafka's own maps and sets walk it: what the broker logs and reads back. */
        Map<String, Map<String, List<Integer>>> walk(GroupAssignment answer) {
            Map<String, Map<String, List<Integer>>> walk = new HashMap<>();
            answer.members().forEach((member, part) -> {
                Map<String, List<Integer>> owned = new LinkedHashMap<>();
                part.partitions().forEach((id, partitions) -> owned.put(topics.name(id), List.copyOf(partitions)));
                walk.put(member, owned);
            });
            return walk;
        }

        Group.Assignment read(GroupAssignment answer) {
            Group.Assignment assignment = new Group.Assignment(group);
            answer.members().forEach((member, part) -> part.partitions().forEach((id, partitions) ->
                partitions.forEach(p -> assignment.add(member, topics.name(id), p))));
            return assignment.sorted();
        }
    }

    private static PartitionAssignor assignor(String name) {
        return switch (name) {
            case "server-range" -> new RangeAssignor();
            case "server-uniform" -> new UniformAssignor();
            default -> throw new IllegalArgumentException("No broker assignor is called " + name + "; there are " + NAMES);
        };
    }

    private static GroupSpec spec(Group group, Topics topics) {
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new HashMap<>();
        Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
        Map<String, Integer> subscribers = new HashMap<>();
        for (Group.Member member : group.members()) {
            Set<String> names = new LinkedHashSet<>(member.topics());
            names.forEach(name -> subscribers.merge(name, 1, Integer::sum));
            Map<Uuid, Set<Integer>> owned = new HashMap<>();
            member.owned().forEach((topic, partitions) -> {
                Uuid id = topics.id(topic);
                owned.put(id, new HashSet<>(partitions));
                partitions.forEach(p -> owners.computeIfAbsent(id, i -> new HashMap<>()).put(p, member.id()));
            });
            members.put(member.id(), new MemberSubscriptionAndAssignmentImpl(
                Optional.ofNullable(member.rack()),
                Optional.ofNullable(member.instanceId()),
                topics.ids(names),
                new Assignment(owned)
            ));
        }
        boolean same = subscribers.values().stream().allMatch(count -> count == group.members().size());
        SubscriptionType type = same ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
        return new GroupSpecImpl(Collections.unmodifiableMap(members), type, Collections.unmodifiableMap(owners));
    }

    /** The topics, as the assignors ask for them. */
    private static final class Topics implements SubscribedTopicDescriber {
        private final Map<String, Uuid> ids = new LinkedHashMap<>();
        private final Map<Uuid, Group.Topic> topics = new HashMap<>();
        private Object resolver;

        Topics(List<Group.Topic> list) {
            for (Group.Topic topic : list) {
                Uuid id = Uuid.fromString(topic.id());
                ids.put(topic.name(), id);
                topics.put(id, topic);
            }
        }

        Uuid id(String name) {
            return ids.get(name);
        }

        String name(Uuid id) {
            return topics.get(id).name();
        }

        @Override
        public int numPartitions(Uuid id) {
            Group.Topic topic = topics.get(id);
            return topic == null ? -1 : topic.partitions();
        }

        @Override
        public Set<String> racksForPartition(Uuid id, int partition) {
            Group.Topic topic = topics.get(id);
            return topic == null || topic.racks() == null ? Set.of() : new HashSet<>(topic.racks().get(partition));
        }

        /**
         * The broker's own lazy set of ids. From 4.0 it resolves names through an interface whose other methods differ
         * from version to version, hence the proxy; 3.9 reads an image of the topics.
         */
        Set<Uuid> ids(Set<String> names) {
            try {
                for (Constructor<?> constructor : TopicIds.class.getConstructors()) {
                    Class<?> source = constructor.getParameterTypes()[1];
                    if (source.getDeclaringClass() == TopicIds.class) return topicIds(constructor, names, source);
                }
                return topicIds(TopicIds.class.getConstructor(Set.class, TopicsImage.class), names, TopicsImage.class);
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException("This Kafka version builds its topic ids in a way the oracle does not know", error);
            }
        }

        @SuppressWarnings("unchecked")
        private Set<Uuid> topicIds(Constructor<?> constructor, Set<String> names, Class<?> source)
            throws ReflectiveOperationException {
            if (resolver == null) resolver = source == TopicsImage.class ? image() : proxy(source);
            return (Set<Uuid>) constructor.newInstance(names, resolver);
        }

        private Object proxy(Class<?> type) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> switch (method.getName()) {
                case "id" -> ids.get((String) args[0]);
                case "name" -> topics.containsKey(args[0]) ? topics.get(args[0]).name() : null;
                case "hashCode" -> System.identityHashCode(self);
                case "equals" -> self == args[0];
                default -> null;
            });
        }

        private TopicsImage image() {
            TopicsDelta delta = new TopicsDelta(TopicsImage.EMPTY);
            ids.forEach((name, id) -> delta.replay(new TopicRecord().setName(name).setTopicId(id)));
            return delta.apply();
        }
    }
}
