/** Writes answers as JSON text in one form, so that equal answers are equal text whatever order their maps had. */

type Entries<K, V> = readonly (readonly [K, V])[];

/** Member -> topic -> partitions: names in code unit order, topics without partitions left out, numbers as they come. */
export function partitionsByName(members: Entries<string, Entries<string, readonly number[]>>): string {
  return object(
    sortedByName(members).map(([member, topics]) => {
      const owned = sortedByName(topics.filter(([, partitions]) => partitions.length > 0));
      return [member, object(owned.map(([topic, partitions]) => [topic, JSON.stringify(partitions)]))];
    }),
  );
}

/** Partition -> values in their order, partitions ascending. */
export function valuesByPartition(partitions: Entries<number, readonly number[]>): string {
  const sorted = [...partitions].sort(([a], [b]) => a - b);
  return object(sorted.map(([partition, values]) => [String(partition), JSON.stringify(values)]));
}

function object(members: Entries<string, string>): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

function sortedByName<V>(entries: Entries<string, V>): Entries<string, V> {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
