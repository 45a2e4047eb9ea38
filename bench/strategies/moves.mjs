/**
 * node bench/strategies/moves.mjs [groups] [first seed]   (after `npx tsc -b libs/strategies`)
 *
 * Bar R3: how many partitions change their owner, beside the fewest that could (fewest-moves.mjs). Random groups of 10 to 60
 * members and 5 to 40 topics live through six joins, leaves, growing topics and changed subscriptions each; every step starts
 * from what the assignor itself has given before.
 */
import { resolveAssignor } from '../../libs/strategies/dist/index.js';
import { fewestMoves } from './fewest-moves.mjs';

const groups = Number(process.argv[2] ?? 200);
const firstSeed = Number(process.argv[3] ?? 1);
const STEPS = 6;

function numbers(seed) {
  let state = Math.imul(seed, 0x9e3779b1) || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return (low, high) => low + Math.floor(next() * (high - low + 1));
}

function firstGroup(pick, equal) {
  const topics = Array.from({ length: pick(5, 40) }, (_, i) => ({ name: `t${i}`, partitions: pick(1, 30) }));
  const names = topics.map(({ name }) => name);
  const share = pick(10, 90);
  const list = () => {
    const some = names.filter(() => pick(0, 99) < share);
    return some.length > 0 ? some : [names[pick(0, names.length - 1)]];
  };
  const members = Array.from({ length: pick(10, 60) }, (_, i) => ({ id: `m${i}`, topics: equal ? names : list() }));
  return { group: { topics, members }, list: equal ? () => names : list };
}

/** One change; the members own what they were given. */
function change({ group, list }, target, pick, step) {
  let members = group.members.map((member) => ({ ...member, owned: target.get(member.id), generation: step }));
  let { topics } = group;
  const kind = pick(0, 3);
  if (kind === 0) members.push({ id: `n${step}`, topics: list() });
  else if (kind === 1) members.splice(pick(0, members.length - 1), 1);
  else if (kind === 2) {
    const grown = pick(0, topics.length - 1);
    topics = topics.map((topic, i) => (i === grown ? { ...topic, partitions: topic.partitions + pick(1, 10) } : topic));
  } else {
    const place = pick(0, members.length - 1);
    members[place] = { ...members[place], topics: list() };
  }
  return { topics, members };
}

/** Owned partitions that somebody else gets, without those whose owner no longer subscribes. */
function movesOf({ members }, target) {
  let moves = 0;
  for (const { id, topics, owned = new Map() } of members)
    for (const [topic, before] of owned) {
      if (!topics.includes(topic)) continue;
      const now = new Set(target.get(id).get(topic));
      for (const partition of before) if (!now.has(partition)) moves++;
    }
  return moves;
}

function squaresOf(target) {
  let sum = 0;
  for (const owned of target.values()) {
    let count = 0;
    for (const list of owned.values()) count += list.length;
    sum += count * count;
  }
  return sum;
}

console.log('| assignor | subscriptions | steps | moves | fewest | above | steps as even as can be |');
console.log('| --- | --- | ---: | ---: | ---: | ---: | ---: |');
for (const equal of [true, false])
  for (const name of ['weighted-sticky', 'uniform', 'sticky', 'cooperative-sticky']) {
    const assignor = resolveAssignor(name);
    const sum = { steps: 0, moves: 0, fewest: 0, even: 0 };
    for (let seed = firstSeed; seed < firstSeed + groups; seed++) {
      const pick = numbers(seed);
      const life = firstGroup(pick, equal);
      let { target } = assignor.assign(life.group);
      for (let step = 1; step <= STEPS; step++) {
        life.group = change(life, target, pick, step);
        const best = fewestMoves(life.group);
        ({ target } = assignor.assign(life.group));
        sum.steps++;
        sum.moves += movesOf(life.group, target);
        sum.fewest += best.moves;
        if (squaresOf(target) === best.squares) sum.even++;
      }
    }
    const above = sum.fewest === 0 ? 0 : (100 * (sum.moves - sum.fewest)) / sum.fewest;
    const even = (100 * sum.even) / sum.steps;
    console.log(
      `| ${name} | ${equal ? 'equal' : 'mixed'} | ${sum.steps} | ${sum.moves} | ${sum.fewest} | ${above.toFixed(2)} % | ${even.toFixed(1)} % |`,
    );
  }
