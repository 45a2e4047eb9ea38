// An assignor of one's own, whole: partitions in order go to the members in the order in which they joined, and whoever came
// first gets one more if the numbers do not come out even. Who has a partition keeps it while that is within its share.
//
//   ALLOT_ASSIGNORS=examples/assignors/first-come.mjs npm start
//   curl -X PUT localhost:3000/v1/clusters/default/groups/g -H 'content-type: application/json' -d '{"assignor":"first-come"}'
//
// The contract is in docs/strategies/own-assignors.md.

export default {
  name: 'first-come',
  summary: 'Even shares a topic, the larger ones for those who joined first; members keep what is within their share.',
  sticky: true,

  /**
   * @param group {{topics: {name, partitions}[], members: {id, topics, owned?}[]}}
   * @returns member id -> topic -> partition numbers
   */
  assign({ topics, members }) {
    // Maps inside, because a topic may be called `__proto__`; plain objects come at the end.
    const shares = new Map(members.map(({ id }) => [id, new Map()]));

    for (const { name, partitions } of topics) {
      const subscribers = members.filter((member) => member.topics.includes(name));
      if (subscribers.length === 0) continue;

      // How many each one gets: 10 partitions for 4 members are 3, 3, 2, 2.
      const sizes = subscribers.map((_, place) => Math.ceil((partitions - place) / subscribers.length));

      // First everyone keeps what it has, up to its share. A partition that two members claim stays with the first.
      const free = new Set(Array.from({ length: partitions }, (_, partition) => partition));
      const kept = subscribers.map(({ owned = {} }, place) => {
        const mine = Object.hasOwn(owned, name) ? owned[name].filter((partition) => free.has(partition)) : [];
        const share = mine.slice(0, sizes[place]);
        for (const partition of share) free.delete(partition);
        return share;
      });

      // Then what is left fills up the shares.
      const rest = [...free];
      for (const [place, { id }] of subscribers.entries()) {
        shares.get(id).set(name, [...kept[place], ...rest.splice(0, sizes[place] - kept[place].length)]);
      }
    }

    // Every member has an entry, and the order inside a list does not matter.
    return Object.fromEntries([...shares].map(([id, share]) => [id, Object.fromEntries(share)]));
  },
};
