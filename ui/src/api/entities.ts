import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ChangedEntity, EntityContext, EntityCount, EntityState, EventChanges } from '@contract/entity';
import type { ListedEvent } from '@contract/event';
import type { Page } from '@contract/page';
import { resolveTimePoint } from '../format/time-point';
import type { Change } from '../payload/diff-json';
import type { Json } from '../payload/json';
import { parseJson } from '../payload/parse-json';
import { writtenChanges } from '../payload/written-changes';
import { open, read, readBytes, type Query } from './request';

/** What is asked of the entities; it is part of the page's URL. */
export interface EntitySearch {
  kind?: string;
  /** Text in the payload. */
  q?: string;
  /** By default those that are not deleted. */
  state?: 'deleted' | 'all';
  /** Conditions on the payload, as JSON. */
  payload?: string;
  /** A point in time (`parseTimePoint`); by default now. */
  as_of?: string;
  /** An earlier point in time: only what has changed since then is listed. */
  from?: string;
  /** Paths of payload fields that are shown as columns. */
  column?: string[];
}

/** The keys of all lists of entities, and of all counts. */
export const entityLists = ['entity-lists'] as const;
export const entityCounts = ['entity-counts'] as const;

const PAGE_SIZE = 50;

function toQuery({ kind, q, state, payload, as_of: point }: EntitySearch): Query {
  return { kind, q, state, payload, as_of: point && resolveTimePoint(point, Date.now()) };
}

export interface ListedEntity extends EntityState {
  fields?: ListedEvent['fields'];
}

/** Entities in their state at a point in time, which the cursor keeps; the latest change first. */
export const entitiesQuery = (search: EntitySearch) =>
  infiniteQueryOptions({
    queryKey: [...entityLists, search],
    queryFn: ({ pageParam }) =>
      read<Page<ListedEntity> & EntityContext>('/entities', {
        ...toQuery(search),
        field: search.column,
        limit: PAGE_SIZE,
        cursor: pageParam,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

/** How many entities match. */
export const entityCountQuery = (search: EntitySearch) =>
  queryOptions({
    queryKey: [...entityCounts, search],
    queryFn: () => read<EntityCount>('/entities/count', toQuery(search)),
  });

/** An entity that differs between two points in time. */
export type Difference = Omit<ChangedEntity, 'changes'> & { changes: Change[] };

/** The entities that differ between two points in time, the latest change first. */
export const changedEntitiesQuery = (search: EntitySearch) =>
  infiniteQueryOptions({
    queryKey: [...entityLists, 'changes', search],
    queryFn: async ({ pageParam }): Promise<Page<Difference>> => {
      const { kind, payload, as_of: to } = toQuery(search);
      const from = resolveTimePoint(search.from ?? '', Date.now());
      const query = { kind, payload, from, to, limit: PAGE_SIZE, cursor: pageParam };
      const [page, json] = await readExact<Page<ChangedEntity>>('/entities/changes', query);
      const list = memberOf(json, 'data');
      const written = list?.kind === 'array' ? list.items : [];
      return {
        ...page,
        data: page.data.map((entity, at) => ({
          ...entity,
          changes: writtenChanges(memberOf(written[at], 'changes')),
        })),
      };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

/** The state of an entity now. `record`: with the digits of all numbers. */
export const entityQuery = (entity: string) =>
  queryOptions({
    queryKey: ['entity-states', entity],
    queryFn: async () => {
      const [state, json] = await readExact<EntityState>(`/entities/${encodeURIComponent(entity)}`);
      return { ...state, record: memberOf(json, 'record') };
    },
    // A tree of the record stays as it was unfolded, unless there is another state.
    structuralSharing: (before, after) =>
      (before as EntityState | undefined)?.seq === (after as EntityState).seq ? before : after,
  });

/** What an event changed in the record of its entity, compared with the state before it. */
export const eventChangesQuery = (id: string) =>
  queryOptions({
    queryKey: ['event-changes', id],
    queryFn: async () => {
      const [found, json] = await readExact<EventChanges>(`/events/${encodeURIComponent(id)}/changes`);
      return { ...found, changes: writtenChanges(memberOf(json, 'changes')) };
    },
    staleTime: 'static',
  });

/** All entities that match, as a table. */
export async function exportEntities(search: EntitySearch): Promise<Blob> {
  const query = { ...toQuery(search), field: search.column, format: 'csv' };
  return (await open('/entities/export', query, new AbortController().signal)).blob();
}

/** A resource, and the JSON that it was read from: JavaScript would round long numbers. */
export async function readExact<Result>(path: string, query?: Query): Promise<[Result, Json | null]> {
  const text = new TextDecoder().decode(await readBytes(path, query));
  return [JSON.parse(text), parseJson(text)];
}

export const memberOf = (json: Json | null | undefined, name: string): Json | undefined =>
  json?.kind === 'object' ? json.members.get(name) : undefined;
