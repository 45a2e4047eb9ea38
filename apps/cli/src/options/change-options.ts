import { InvalidArgumentError, Option, type Command } from 'commander';

/** What the options of a command line say, in the order in which they stand there. */
export class ChangeOptions {
  /** As `changes` of a plan, or `steps` of a simulation. */
  readonly changes: unknown[] = [];
  /** The option of each change, for messages. */
  readonly sources: string[] = [];
  /** How many changes the request has before these, for messages. */
  offset = 0;
  readonly brokerRacks = new Map<number, string>();

  add(change: unknown, source: string): void {
    this.changes.push(change);
    this.sources.push(source);
  }

  addFirst(change: unknown, source: string): void {
    this.changes.unshift(change);
    this.sources.unshift(source);
  }
}

/** One option that is a change: its flags, what it says, and the change that its value means. */
interface ChangeOption {
  readonly flags: string;
  readonly description: string;
  readonly read: (value: string) => unknown;
}

const CHANGES: readonly ChangeOption[] = [
  {
    flags: '--add-members <count>',
    description: 'so many members more, subscribed as the others are',
    read: (value) => ({ addMembers: wholeNumber(value) }),
  },
  {
    flags: '--add-member <id>',
    description: 'a member with this id; ID,rack=a,weight=2,instance=i1,topic=t for more of it',
    read: (value) => ({ addMembers: [newMember(value)] }),
  },
  {
    flags: '--remove-members <count>',
    description: 'so many members less, the last ones',
    read: (value) => ({ removeMembers: wholeNumber(value) }),
  },
  {
    flags: '--remove-member <id>',
    description: 'this member leaves',
    read: (value) => ({ removeMembers: [value] }),
  },
  {
    flags: '--partitions <topic=count>',
    description: 'a topic gets so many partitions',
    read: (value) => {
      const [topic, count] = pair(value, 'orders=12');
      return { topic, partitions: wholeNumber(count) };
    },
  },
  {
    flags: '--add-topic <topic=partitions>',
    description: 'a topic is made',
    read: (value) => {
      const [name, count] = pair(value, 'orders=12');
      return { addTopic: { name, partitions: wholeNumber(count) } };
    },
  },
  {
    flags: '--remove-topic <topic>',
    description: 'a topic is deleted',
    read: (value) => ({ removeTopic: value }),
  },
  {
    flags: '--subscribe <member=topics>',
    description: 'a member subscribes to these topics, c1=orders,payments',
    read: (value) => {
      const [member, topics] = pair(value, 'c1=orders,payments');
      return { member, topics: topics === '' ? [] : topics.split(',') };
    },
  },
  {
    flags: '--rack <member=rack>',
    description: 'a member is in this rack',
    read: (value) => {
      const [member, rack] = pair(value, 'c1=eu-west-1a');
      return { member, rack };
    },
  },
  {
    flags: '--weight <member=weight>',
    description: 'a member takes so much more than others (weighted-sticky)',
    read: (value) => {
      const [member, weight] = pair(value, 'c1=2');
      return { member, weight: number(weight) };
    },
  },
  {
    flags: '--remove-broker <id>',
    description: 'a broker goes, and its replicas with it',
    read: (value) => ({ removeBrokers: [wholeNumber(value)] }),
  },
  {
    flags: '--add-broker <id=rack>',
    description: 'a broker comes, 4=eu-west-1c; without a rack, 4',
    read: (value) => {
      if (!value.includes('=')) return { addBrokers: [{ id: wholeNumber(value) }] };
      const [id, rack] = pair(value, '4=eu-west-1c', 'first');
      return { addBrokers: [{ id: wholeNumber(id), rack }] };
    },
  },
  {
    flags: '--move-broker <id=rack>',
    description: 'a broker is in another rack from now on',
    read: (value) => {
      const [broker, rack] = pair(value, '1=eu-west-1b', 'first');
      return { broker: wholeNumber(broker), rack };
    },
  },
  {
    flags: '--change <json>',
    description: 'any change as JSON, as POST /v1/plans takes it',
    read: (value) => {
      try {
        return JSON.parse(value) as unknown;
      } catch (error) {
        throw new InvalidArgumentError(`It is not JSON: ${(error as Error).message}.`);
      }
    },
  },
];

/**
 * Adds the options of changes; they are applied in the order in which they stand on the command line.
 */
export function withChanges(command: Command, { onServer = false } = {}): ChangeOptions {
  const options = new ChangeOptions();
  for (const { flags, description, read } of CHANGES) addChange(command, options, { flags, description, read });
  addPins(command, options);
  if (!onServer) addBrokerRacks(command, options);
  return options;
}

/** All pins together are one change, which stands where the first of them does: the group has these instead of its own. */
function addPins(command: Command, options: ChangeOptions): void {
  const pins: { topic: string; partition: number; member: string }[] = [];
  command.addOption(
    new Option('--pin <partition=member>', 'a partition belongs to this member, orders-3=c1').argParser(
      (value: string) => {
        const cut = value.indexOf('=');
        const match = /^(.+)-(\d+)$/.exec(value.slice(0, Math.max(cut, 0)));
        if (match === null || cut === value.length - 1) throw new InvalidArgumentError('Write it like orders-3=c1.');
        if (pins.length === 0) options.add({ pins }, '--pin');
        pins.push({ topic: match[1]!, partition: Number(match[2]), member: value.slice(cut + 1) });
        return pins;
      },
    ),
  );
}

/** What a text does not say of a group, and a server knows. */
function addBrokerRacks(command: Command, options: ChangeOptions): void {
  command.addOption(
    new Option(
      '--broker-rack <broker=rack>',
      'a broker is in this rack, 1=a; so partitions have the racks of their replicas',
    ).argParser((value: string) => {
      const [broker, rack] = pair(value, '1=eu-west-1a');
      options.brokerRacks.set(wholeNumber(broker), rack);
      return options.brokerRacks;
    }),
  );
}

/** Adds one option that is a change or a step. */
export function addChange(command: Command, options: ChangeOptions, { flags, description, read }: ChangeOption): void {
  const name = flags.split(' ')[0]!;
  command.addOption(
    new Option(flags, description).argParser((value: string) => {
      options.add(read(value), `${name} ${value}`);
      return options.changes;
    }),
  );
}

/** `id,rack=a,topic=x,topic=y`. */
function newMember(value: string): unknown {
  const [id = '', ...properties] = value.split(',');
  const member: Record<string, unknown> = { id };
  const topics: string[] = [];
  for (const property of properties) {
    const [key, text] = pair(property, 'rack=a', 'first');
    if (key === 'rack') member['rack'] = text;
    else if (key === 'instance') member['instanceId'] = text;
    else if (key === 'weight') member['weight'] = number(text);
    else if (key === 'topic') topics.push(text);
    else throw new InvalidArgumentError(`There is no ${key}; there are rack, instance, weight, topic.`);
  }
  return topics.length > 0 ? { ...member, topics } : member;
}

/** Cuts at the last `=`, since ids of members may have some; at the first where the key is a word. */
function pair(value: string, example: string, at: 'first' | 'last' = 'last'): [string, string] {
  const cut = at === 'first' ? value.indexOf('=') : value.lastIndexOf('=');
  if (cut < 1) throw new InvalidArgumentError(`Write it like ${example}.`);
  return [value.slice(0, cut), value.slice(cut + 1)];
}

export function wholeNumber(value: string): number {
  if (/^\d{1,10}$/.test(value)) return Number(value);
  throw new InvalidArgumentError(`"${value}" is not a whole number.`);
}

export function number(value: string): number {
  const parsed = Number(value);
  if (value.trim() !== '' && Number.isFinite(parsed)) return parsed;
  throw new InvalidArgumentError(`"${value}" is not a number.`);
}
