/**
 * The work nobody can avoid, in plain loops: put the members' ids in order, look up every name of every distinct list once,
 * every rack of every replica where members have racks, and every topic of every claim; note the owner of every claimed
 * partition; write one owner for every partition.
 */
export function floorOf({ topics, members }) {
  return () => {
    const offsets = new Map();
    let total = 0;
    for (const { name, partitions } of topics) {
      offsets.set(name, total);
      total += partitions;
    }
    const lists = new Set();
    const ids = new Array(members.length);
    const racks = new Map();
    const previous = new Int32Array(total);
    let found = 0;
    for (let member = 0; member < members.length; member++) {
      const { id, topics: list, owned, rack } = members[member];
      ids[member] = id;
      if (!lists.has(list)) {
        lists.add(list);
        for (const name of list) if (offsets.has(name)) found++;
      }
      if (rack !== undefined) racks.set(rack, member);
      if (owned === undefined) continue;
      for (const [name, claimed] of owned) {
        const first = offsets.get(name);
        for (const partition of claimed) previous[first + partition] = member;
      }
    }
    ids.sort();
    if (racks.size > 0) {
      for (const topic of topics)
        for (const replicas of topic.racks ?? []) for (const rack of replicas) if (racks.has(rack)) found++;
    }
    const owners = new Int32Array(total);
    let owner = 0;
    for (let partition = 0; partition < total; partition++) {
      owners[partition] = owner;
      if (++owner === members.length) owner = 0;
    }
    return found + ids.length + owners[total - 1] + previous[total - 1];
  };
}

/** One pass over owners: read each, count it, write it. */
export function passOver(previous, members) {
  const owners = new Int32Array(previous.length);
  const counts = new Int32Array(members);
  return () => {
    for (let partition = 0; partition < previous.length; partition++) {
      const owner = previous[partition];
      if (owner >= 0) counts[owner]++;
      owners[partition] = owner;
    }
    return owners[previous.length - 1];
  };
}

/** One write for every partition. */
export function writesOf(total) {
  const owners = new Int32Array(total);
  return () => {
    for (let partition = 0; partition < total; partition++) owners[partition] = partition & 2047;
    return owners[total - 1];
  };
}
