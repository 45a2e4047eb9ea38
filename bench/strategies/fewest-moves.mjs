/**
 * The fewest moves that even out a group, by successive shortest paths: a plain min-cost flow that shares nothing with
 * libs/strategies. Topics send their partitions to subscribers. The k-th partition of a member costs EVEN x (2k - 1), so that
 * the sum of squares of the members' counts becomes least; beyond what a member had of a topic each costs one more, a move.
 *
 * @returns the least sum of squares, and with it the fewest partitions that change their owner
 */
export function fewestMoves({ topics, members }) {
  const EVEN = 1e5;
  const placeOf = new Map(topics.map(({ name }, place) => [name, place]));
  const had = topics.map(() => new Int32Array(members.length));
  const takes = topics.map(() => new Uint8Array(members.length));
  members.forEach(({ topics: names, owned }, member) => {
    for (const name of names) takes[placeOf.get(name)][member] = 1;
    for (const [name, numbers] of owned ?? [])
      if (names.includes(name)) had[placeOf.get(name)][member] = numbers.length;
  });
  const flow = topics.map(() => new Int32Array(members.length));
  const counts = new Int32Array(members.length);

  let fresh = 0;
  for (let topic = 0; topic < topics.length; topic++) {
    if (!takes[topic].includes(1)) continue;
    fresh += topics[topic].partitions - had[topic].reduce((sum, count) => sum + count, 0);
    for (let i = 0; i < topics[topic].partitions; i++) augment(topic);
  }
  const sent = topics.map((_, topic) =>
    flow[topic].reduce((sum, count, m) => sum + Math.max(0, count - had[topic][m]), 0),
  );
  return {
    squares: counts.reduce((sum, count) => sum + count * count, 0),
    moves: sent.reduce((sum, count) => sum + count, 0) - fresh,
  };

  /** Sends one more partition of a topic along the cheapest way, on which others may have to make room (Bellman and Ford). */
  function augment(from) {
    const toTopic = new Float64Array(topics.length).fill(Infinity);
    const toMember = new Float64Array(members.length).fill(Infinity);
    const before = new Int32Array(members.length).fill(-1);
    const through = new Int32Array(topics.length).fill(-1);
    toTopic[from] = 0;
    for (let queue = [from]; queue.length > 0;) {
      const next = new Set();
      for (const topic of queue)
        for (let member = 0; member < members.length; member++) {
          if (takes[topic][member] === 0) continue;
          const reached = toTopic[topic] + (flow[topic][member] < had[topic][member] ? 0 : 1);
          if (reached >= toMember[member]) continue;
          toMember[member] = reached;
          before[member] = topic;
          for (let other = 0; other < topics.length; other++) {
            if (flow[other][member] === 0 || other === topic) continue;
            const back = reached - (flow[other][member] > had[other][member] ? 1 : 0);
            if (back >= toTopic[other]) continue;
            toTopic[other] = back;
            through[other] = member;
            next.add(other);
          }
        }
      queue = [...next];
    }
    let member = -1;
    let least = Infinity;
    for (let i = 0; i < members.length; i++) {
      const cost = toMember[i] + EVEN * (2 * counts[i] + 1);
      if (cost < least) [member, least] = [i, cost];
    }
    counts[member]++;
    for (;;) {
      const topic = before[member];
      flow[topic][member]++;
      if (topic === from) return;
      member = through[topic];
      flow[topic][member]--;
    }
  }
}
