import type { Page, PageRequest } from '@allot/coordinator';
import type { Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { LIMITS } from '../config/limits.js';
import { Absent, Name, QueryInteger } from '../validation/rules.js';
import { type PageKey, decodeCursor, encodeCursor } from './cursor.js';

/** The query parameters of every list. */
export class PageQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: LIMITS.pageSize,
    default: LIMITS.defaultPageSize,
    description: 'Most items in the answer.',
  })
  @Absent()
  @QueryInteger(1, LIMITS.pageSize)
  pageSize?: number;

  @ApiPropertyOptional({
    type: 'string',
    description: '`nextPageToken` of the page before; the first page when absent.',
  })
  @Absent()
  @Name(4_000)
  pageToken?: string;
}

/** A page as it is answered. */
export interface PageOf<T> {
  readonly items: readonly T[];
  readonly nextPageToken?: string;
}

/** The contract class of a page of `item`: `export class TopicPage extends pageOf(Topic) {}`. */
export function pageOf<T>(item: Type<T>): Type<PageOf<T>> {
  @ApiSchema({ description: `One page of a list.` })
  class ItemPage implements PageOf<T> {
    @ApiProperty({ type: () => [item] })
    items!: T[];

    @ApiPropertyOptional({ type: 'string', description: 'Present when there may be more.' })
    nextPageToken?: string;
  }
  return ItemPage;
}

/** How one kind of list is paged: by which key, and under which name its tokens go. */
export interface ListKind<T, K extends PageKey> {
  readonly kind: string;
  readonly keyType: K extends number ? 'number' : 'string';
  readonly keyOf: (item: T) => K;
}

export function pageRequest<T, K extends PageKey>(list: ListKind<T, K>, query: PageQuery): PageRequest<K> {
  const limit = query.pageSize ?? LIMITS.defaultPageSize;
  if (query.pageToken === undefined) return { limit };
  return { limit, after: decodeCursor<K>(list.kind, list.keyType, query.pageToken) };
}

/** Turns a store's page into an answer. */
export function toPage<S, K extends PageKey, T>(list: ListKind<S, K>, page: Page<S>, show: (item: S) => T): PageOf<T> {
  const last = page.items.at(-1);
  const items = page.items.map(show);
  if (!page.more || last === undefined) return { items };
  return { items, nextPageToken: encodeCursor(list.kind, list.keyOf(last)) };
}
