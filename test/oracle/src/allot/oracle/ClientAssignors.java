package allot.oracle;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Asks the assignors of kafka-clients, through the calls that a group's leader makes. */
final class ClientAssignors {
    static final List<String> NAMES = List.of("range", "roundrobin", "sticky", "cooperative-sticky");

    private ClientAssignors() {}

    static boolean isSticky(String name) {
        return name.endsWith("sticky");
    }

    /** Kafka's objects for one group; building them is no part of what a benchmark measures. */
    static final class Question {
        private final String name;
        private final Group group;
        private final Cluster cluster;
        private final Map<String, Subscription> subscriptions = new HashMap<>();

        Question(String name, Group group) {
            this.name = name;
            this.group = group;
            this.cluster = cluster(group);
            for (Group.Member member : group.members()) subscriptions.put(member.id(), subscription(name, member));
        }

        /** Reading the claims of sticky members moves the positions of their buffers; this puts them back. */
        void rewind() {
            for (Subscription subscription : subscriptions.values()) {
                if (subscription.userData() != null) subscription.userData().rewind();
            }
        }

        /** Kafka's own result, to be timed; {@link #read} turns it into an assignment. */
        ConsumerPartitionAssignor.GroupAssignment ask() {
            return assignor(name).assign(cluster, new GroupSubscription(subscriptions));
        }

        Group.Assignment read(ConsumerPartitionAssignor.GroupAssignment answer) {
            Group.Assignment assignment = new Group.Assignment(group);
            answer.groupAssignment().forEach((member, part) ->
                part.partitions().forEach(p -> assignment.add(member, p.topic(), p.partition())));
            return assignment.sorted();
        }
    }

    static Group.Assignment answer(String name, Group group) {
        Question question = new Question(name, group);
        return question.read(question.ask());
    }

    private static ConsumerPartitionAssignor assignor(String name) {
        return switch (name) {
            case "range" -> new RangeAssignor();
            case "roundrobin" -> new RoundRobinAssignor();
            case "sticky" -> new StickyAssignor();
            case "cooperative-sticky" -> new CooperativeStickyAssignor();
            default -> throw new IllegalArgumentException("No client assignor is called " + name + "; there are " + NAMES);
        };
    }

    @SuppressWarnings("removal")
    private static Subscription subscription(String name, Group.Member member) {
        Optional<String> rack = Optional.ofNullable(member.rack());
        List<TopicPartition> owned = new ArrayList<>();
        member.owned().forEach((topic, partitions) -> partitions.forEach(p -> owned.add(new TopicPartition(topic, p))));
        Subscription subscription;
        if (name.equals("sticky") && member.generation() != null) {
            StickyAssignor previous = new StickyAssignor();
            previous.onAssignment(
                new ConsumerPartitionAssignor.Assignment(owned),
                new ConsumerGroupMetadata("g", member.generation(), member.id(), Optional.ofNullable(member.instanceId()))
            );
            ByteBuffer claim = previous.subscriptionUserData(new HashSet<>(member.topics()));
            subscription = new Subscription(member.topics(), claim, Collections.emptyList(), member.generation(), rack);
        } else if (name.equals("cooperative-sticky") && member.generation() != null) {
            subscription = new Subscription(member.topics(), null, owned, member.generation(), rack);
        } else {
            subscription = new Subscription(member.topics(), null, Collections.emptyList(), -1, rack);
        }
        subscription.setGroupInstanceId(Optional.ofNullable(member.instanceId()));
        return subscription;
    }

    private static Cluster cluster(Group group) {
        Nodes nodes = new Nodes();
        List<PartitionInfo> partitions = new ArrayList<>();
        for (Group.Topic topic : group.topics()) {
            for (int p = 0; p < topic.partitions(); p++) {
                Node[] replicas = topic.racks() == null ? new Node[] {nodes.inRack(null, 0)} : nodes.inRacks(topic.racks().get(p));
                partitions.add(new PartitionInfo(topic.name(), p, replicas[0], replicas, replicas));
            }
        }
        return new Cluster("oracle", nodes.all(), partitions, Set.of(), Set.of());
    }

    /** One broker for each rack and each repetition of a rack within a partition's replicas. */
    private static final class Nodes {
        private final Map<String, Node> nodes = new LinkedHashMap<>();

        Node inRack(String rack, int repetition) {
            return nodes.computeIfAbsent(repetition + "/" + rack, key -> new Node(nodes.size(), "broker", 9092, rack));
        }

        Node[] inRacks(List<String> racks) {
            Node[] replicas = new Node[racks.size()];
            for (int i = 0; i < replicas.length; i++) {
                replicas[i] = inRack(racks.get(i), Collections.frequency(racks.subList(0, i), racks.get(i)));
            }
            return replicas;
        }

        List<Node> all() {
            return new ArrayList<>(nodes.values());
        }
    }
}
