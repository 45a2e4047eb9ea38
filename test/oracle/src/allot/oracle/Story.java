package allot.oracle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

import org.apache.kafka.common.Uuid;

/**
 * A random group and what happens to it: members come, go, return late, restart under a new id, change their minds; topics
 * grow, appear and vanish; claims go stale or contradict each other. Each round is a question to an assignor, and its
 * answer is what the members own in the next one. The same seed tells the same story as long as the answers are the same.
 */
final class Story {
    private static final String[] NAMES = {
        "orders", "payments.v1", "clicks", "t", "audit_log", "inventory-updates", "email.send", "user.events", "a.b", "a_b",
        "Orders", "__proto__", "constructor", "zz-9"
    };
    private static final String[] MISSING = {"no-such-topic", "gone.v2", "BBBBnone"};

    private final Random random;
    private final String assignor;
    private final boolean broker;
    private final boolean sticky;
    final String kind;
    private final Size size;

    private final List<Group.Topic> topics = new ArrayList<>();
    private final List<Group.Topic> unborn = new ArrayList<>();
    private final List<Person> people = new ArrayList<>();
    private final List<Person> away = new ArrayList<>();
    private int generation = 1;
    private int born = 0;
    private final int racks;
    private final int mode;
    private final int idStyle;

    private record Size(int members, int topics, int partitions, int rounds) {}

    /** A member between the rounds. */
    private static final class Person {
        String id;
        String instanceId;
        String rack;
        List<String> topics;
        Integer generation;
        Map<String, List<Integer>> owned = Map.of();
    }

    Story(long seed, String assignor) {
        this.random = new Random(seed);
        this.assignor = assignor;
        this.broker = assignor.startsWith("server-");
        this.sticky = broker || ClientAssignors.isSticky(assignor);
        int die = random.nextInt(100);
        this.mode = random.nextInt(100);
        boolean collide = random.nextInt(100) < 10;
        this.racks = random.nextInt(100) < 30 ? 1 + random.nextInt(4) : 0;
        this.size = size(die);
        this.idStyle = collide ? 5 : random.nextInt(5);
        this.kind = collide ? "collide" : die >= 92 ? "big" : racks > 0 ? "rack" : mode < 50 ? "same" : "mixed";
        plot(collide);
    }

    private Size size(int die) {
        int rounds = sticky ? 1 + random.nextInt(8) : 1 + random.nextInt(3);
        if (die < 60) return new Size(1 + random.nextInt(8), 1 + random.nextInt(6), 12, rounds);
        if (die < 92) return new Size(3 + random.nextInt(38), 1 + random.nextInt(20), 1 + random.nextInt(40), rounds);
        // Kafka's own sticky rule for unequal subscriptions takes seconds to minutes beyond such sizes.
        boolean slow = assignor.endsWith("sticky") && (mode >= 50 || racks > 0);
        int members = slow ? 20 + random.nextInt(60) : 50 + random.nextInt(251);
        int topics = 1 + random.nextInt(slow ? 12 : 60);
        int partitions = Math.max(2, (slow ? 400 : 2000) / topics);
        return new Size(members, topics, partitions, 1 + random.nextInt(sticky ? 3 : 1));
    }

    private void plot(boolean collide) {
        List<String> names = collide ? colliding("", 2 + random.nextInt(3)) : new ArrayList<>(List.of(NAMES));
        if (!collide || names.size() < size.topics()) for (int i = 0; i < size.topics(); i++) names.add("t" + i);
        if (random.nextBoolean()) Collections.shuffle(names, random);
        int same = random.nextInt(100) < 40 ? 1 + random.nextInt(size.partitions()) : 0;
        for (String name : names.subList(0, size.topics())) topics.add(topic(name, same));
        if (random.nextInt(100) < 30) unborn.add(topic("later", same));
        for (int i = 0; i < size.members(); i++) people.add(person());
    }

    private Group.Topic topic(String name, int same) {
        int partitions = same > 0 ? same : broker ? 1 + random.nextInt(size.partitions()) : random.nextInt(size.partitions() + 1);
        if (!broker && random.nextInt(100) < 4) partitions = 0;
        String id = broker ? new Uuid(random.nextLong(), random.nextLong()).toString() : null;
        boolean known = racks > 0 && random.nextInt(100) < 92;
        Group.Topic topic = new Group.Topic(name, id, partitions, known ? new ArrayList<>() : null);
        if (known) placeReplicas(topic);
        return topic;
    }

    /** Fills {@code topic.racks()} up to the topic's count: mostly distinct racks, sometimes a rack twice. */
    private void placeReplicas(Group.Topic topic) {
        int replicas = 1 + random.nextInt(3);
        boolean repeat = random.nextInt(100) < 15;
        while (topic.racks().size() < topic.partitions()) {
            List<String> all = new ArrayList<>();
            for (int r = 0; r < racks; r++) all.add("r" + r);
            Collections.shuffle(all, random);
            List<String> chosen = new ArrayList<>();
            for (int i = 0; i < replicas; i++) {
                if (i < all.size()) chosen.add(all.get(i));
                else if (repeat) chosen.add(all.get(random.nextInt(all.size())));
            }
            topic.racks().add(chosen);
        }
    }

    private Person person() {
        Person person = new Person();
        person.id = memberId();
        if (random.nextInt(100) < 25) person.instanceId = "i-" + (char) ('a' + random.nextInt(26)) + born;
        if (racks > 0 && random.nextInt(100) < 90) person.rack = "r" + random.nextInt(racks + (random.nextInt(10) == 0 ? 1 : 0));
        person.topics = subscription();
        return person;
    }

    private String memberId() {
        int n = born++;
        String uuid = new UUID(random.nextLong(), random.nextLong()).toString();
        return switch (idStyle) {
            case 0 -> "c" + (n + 1);
            case 1 -> String.format("consumer-%02d", n);
            case 2 -> uuid;
            case 3 -> "consumer-orders-" + (n + 1) + "-" + uuid;
            case 4 -> "rdkafka-" + uuid;
            default -> collidingId(n);
        };
    }

    /** Ids by the dozen that share one String.hashCode, so that buckets grow long enough to become trees. */
    private String collidingId(int n) {
        StringBuilder id = new StringBuilder("c");
        for (int bit = 0; bit < 5; bit++) id.append((n >> bit & 1) == 0 ? "Aa" : "BB");
        return n < 32 ? id.toString() : id + "-" + n / 32;
    }

    private static List<String> colliding(String prefix, int pairs) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 1 << pairs; i++) {
            StringBuilder name = new StringBuilder(prefix);
            for (int bit = 0; bit < pairs; bit++) name.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            names.add(name.toString());
        }
        return names;
    }

    private List<String> subscription() {
        List<String> all = new ArrayList<>();
        for (Group.Topic topic : topics) all.add(topic.name());
        for (Group.Topic topic : unborn) all.add(topic.name());
        List<String> chosen;
        if (mode < 50) {
            chosen = all;
            if (mode < 10) Collections.shuffle(chosen, random);
        } else if (mode < 80) {
            double share = 0.1 + 0.8 * random.nextDouble();
            chosen = new ArrayList<>(all.stream().filter(topic -> random.nextDouble() < share).toList());
            if (chosen.isEmpty() && random.nextInt(100) < 85) chosen.add(all.get(random.nextInt(all.size())));
            if (random.nextBoolean()) Collections.shuffle(chosen, random);
        } else if (mode < 90) {
            int buckets = Math.min(3, all.size());
            int bucket = random.nextInt(buckets);
            chosen = new ArrayList<>();
            for (int i = bucket; i < all.size(); i += buckets) chosen.add(all.get(i));
        } else if (mode < 95) {
            chosen = new ArrayList<>(all.subList(0, 1 + random.nextInt(all.size())));
        } else {
            chosen = new ArrayList<>(all);
            if (random.nextInt(6) == 0) chosen.remove(random.nextInt(chosen.size()));
        }
        if (mode >= 50 && random.nextInt(100) < 6) chosen.add(MISSING[random.nextInt(MISSING.length)]);
        else if (mode % 10 == 3) chosen.add(MISSING[0]);
        return chosen;
    }

    int rounds() {
        return size.rounds();
    }

    /** The question of this round. */
    Group question() {
        List<Group.Topic> listed = new ArrayList<>();
        for (Group.Topic topic : topics) {
            listed.add(new Group.Topic(topic.name(), topic.id(), topic.partitions(), topic.racks() == null ? null : List.copyOf(topic.racks())));
        }
        List<Group.Member> members = new ArrayList<>();
        for (Person person : people) {
            members.add(new Group.Member(
                person.id, person.instanceId, person.rack, List.copyOf(person.topics),
                broker ? null : person.generation, new LinkedHashMap<>(person.owned)));
        }
        return new Group(listed, members);
    }

    /** The answer becomes what the members own, in the order given. */
    void answered(Map<String, ? extends Map<String, List<Integer>>> answer) {
        for (Person person : people) {
            Map<String, List<Integer>> owned = new LinkedHashMap<>();
            if (answer.containsKey(person.id)) answer.get(person.id).forEach((topic, list) -> owned.put(topic, List.copyOf(list)));
            person.owned = owned;
            person.generation = generation;
        }
        generation++;
    }

    /** What happens before the next round. */
    void goOn() {
        int events = 1 + random.nextInt(2);
        for (int i = 0; i < events; i++) event(random.nextInt(broker ? 68 : sticky ? 100 : 68));
        if (people.isEmpty()) people.add(person());
    }

    private void event(int die) {
        if (die < 16) join();
        else if (die < 30) leave();
        else if (die < 40) grow();
        else if (die < 44) appear();
        else if (die < 48) vanish();
        else if (die < 56) resubscribe();
        else if (die < 64) restart();
        else if (die < 68) return; // nothing: a repeated rebalance
        else if (die < 78) returnLate();
        else if (die < 88) contradict();
        else if (die < 94) loseGeneration();
        else someone().generation = null;
    }

    private Person someone() {
        return people.get(random.nextInt(people.size()));
    }

    private void join() {
        for (int i = 1 + random.nextInt(3); i > 0; i--) people.add(random.nextInt(people.size() + 1), person());
    }

    private void leave() {
        for (int i = 1 + random.nextInt(2); i > 0 && people.size() > 1; i--) away.add(people.remove(random.nextInt(people.size())));
    }

    private void grow() {
        int i = random.nextInt(topics.size());
        Group.Topic topic = topics.get(i);
        Group.Topic grown = new Group.Topic(topic.name(), topic.id(), topic.partitions() + 1 + random.nextInt(5), topic.racks());
        if (grown.racks() != null) placeReplicas(grown);
        topics.set(i, grown);
    }

    private void appear() {
        if (!unborn.isEmpty()) topics.add(unborn.remove(0));
    }

    /** A topic is deleted while members still subscribe to it. The broker forgets it: its id is never claimed again. */
    private void vanish() {
        if (topics.size() < 2) return;
        Group.Topic gone = topics.remove(random.nextInt(topics.size()));
        if (!broker) return;
        for (List<Person> group : List.of(people, away)) {
            for (Person person : group) {
                person.owned = new LinkedHashMap<>(person.owned);
                person.owned.remove(gone.name());
            }
        }
    }

    private void resubscribe() {
        if (mode < 50) {
            List<String> changed = new ArrayList<>(someone().topics);
            if (changed.size() > 1) changed.remove(random.nextInt(changed.size()));
            for (Person person : people) person.topics = new ArrayList<>(changed);
        } else {
            someone().topics = subscription();
        }
    }

    /** A restart under a new id. The broker hands a static member's target on; a client comes back with empty hands. */
    private void restart() {
        Person person = someone();
        person.id = memberId();
        if (broker && person.instanceId != null) return;
        person.owned = Map.of();
        person.generation = null;
    }

    private void returnLate() {
        if (away.isEmpty()) leave();
        else people.add(random.nextInt(people.size() + 1), away.remove(random.nextInt(away.size())));
    }

    private void contradict() {
        Person liar = someone();
        Person owner = someone();
        if (liar == owner || owner.owned.isEmpty()) return;
        Map<String, LinkedHashSet<Integer>> claim = new TreeMap<>();
        liar.owned.forEach((topic, partitions) -> claim.put(topic, new LinkedHashSet<>(partitions)));
        owner.owned.forEach((topic, partitions) -> partitions.forEach(p -> {
            if (random.nextInt(3) == 0) claim.computeIfAbsent(topic, t -> new LinkedHashSet<>()).add(p);
        }));
        Map<String, List<Integer>> owned = new LinkedHashMap<>();
        claim.forEach((topic, partitions) -> owned.put(topic, partitions.stream().sorted().toList()));
        liar.owned = owned;
        if (liar.generation == null) liar.generation = generation - 1;
        else if (random.nextInt(3) == 0) liar.generation = Math.max(0, liar.generation - random.nextInt(4));
    }

    private void loseGeneration() {
        Person person = someone();
        if (person.generation != null) person.generation = -1;
    }
}
