import type { Page, PageRequest } from '@allot/coordinator';
import type { Type } from '@nestjs/common';
import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';
import { LIMITS } from '../config/limits.js';
import { Integer, Name, Nullable } from '../validation/rules.js';
import { type PageKey, decodeCursor, encodeCursor } from './cursor.js';
import type { ListKind } from './page.js';

/** The arguments of every Relay connection. */
@ArgsType()
export class ConnectionArgs {
  @Field(() => Int, { defaultValue: LIMITS.defaultPageSize, description: `Most nodes, up to ${LIMITS.pageSize}.` })
  @Integer(1, LIMITS.pageSize)
  first: number = LIMITS.defaultPageSize;

  @Field(() => String, { nullable: true, description: 'The cursor after which to go on.' })
  @Nullable()
  @Name(4_000)
  after?: string | null;
}

@ObjectType({ description: "Relay's page information." })
export class PageInfo {
  @Field()
  hasNextPage!: boolean;

  @Field({ description: 'Always false: lists are read forward.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true })
  startCursor?: string;

  @Field(() => String, { nullable: true })
  endCursor?: string;
}

export interface Connection<T> {
  readonly edges: readonly { readonly node: T; readonly cursor: string }[];
  readonly nodes: readonly T[];
  readonly pageInfo: PageInfo;
}

/**
 * The contract class of a Relay connection of `node`, which GraphQL calls `<name>Connection`:
 * `@ObjectType() export class TopicConnection extends connectionOf('Topic', () => Topic) {}`.
 */
export function connectionOf<T>(name: string, node: () => Type<T>): Type<Connection<T>> {
  @ObjectType(`${name}Edge`)
  class Edge {
    @Field(node)
    node!: T;

    @Field()
    cursor!: string;
  }

  @ObjectType({ isAbstract: true })
  class ConnectionBase implements Connection<T> {
    @Field(() => [Edge])
    edges!: Edge[];

    @Field(() => [node()], { description: 'The nodes of the edges, for those who need no cursors.' })
    nodes!: T[];

    @Field()
    pageInfo!: PageInfo;
  }
  return ConnectionBase;
}

export function connectionRequest<T, K extends PageKey>(
  list: ListKind<T, K>,
  { first, after }: ConnectionArgs,
): PageRequest<K> {
  return after === undefined || after === null
    ? { limit: first }
    : { limit: first, after: decodeCursor<K>(list.kind, list.keyType, after, 'after') };
}

/** Turns a store's page into a connection. */
export function toConnection<S, K extends PageKey, T>(
  list: ListKind<S, K>,
  page: Page<S>,
  show: (item: S) => T,
): Connection<T> {
  const edges = page.items.map((item) => ({ node: show(item), cursor: encodeCursor(list.kind, list.keyOf(item)) }));
  const startCursor = edges.at(0)?.cursor;
  const endCursor = edges.at(-1)?.cursor;
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: page.more,
      hasPreviousPage: false,
      ...(startCursor === undefined ? {} : { startCursor }),
      ...(endCursor === undefined ? {} : { endCursor }),
    },
  };
}
