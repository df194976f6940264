import type { DataSource } from 'typeorm';
import { changedEntitiesQuery, entityListQuery } from '../../../src/contract/entity';
import type { RequestSignal } from '../../../src/relay/database/reading/reader';
import { AsOfQuery } from '../../../src/relay/events/entities/as-of.query';
import { ChangedEntitiesQuery } from '../../../src/relay/events/entities/changed-entities.query';
import { EntityStatesQuery } from '../../../src/relay/events/entities/entity-states.query';
import { FindEntitiesQuery } from '../../../src/relay/events/entities/find-entities.query';
import { MatchEntitiesQuery } from '../../../src/relay/events/entities/match-entities.query';
import { WalkEntitiesQuery } from '../../../src/relay/events/entities/walk-entities.query';
import { FindEventsQuery } from '../../../src/relay/events/search/find-events.query';
import { ENTITIES } from '../../../src/relay/relay.module';
import type { ScratchStore } from './scratch-journal';

const SIGNAL: RequestSignal = Object.assign(new AbortController().signal, { caller: 'test' });

const nothing = {} as never;

/** The lists of entities of a scratch store. */
export class EntityLists {
  private constructor(
    private readonly source: DataSource,
    private readonly lists: FindEntitiesQuery,
    private readonly changes: ChangedEntitiesQuery,
  ) {}

  static async open(scratch: ScratchStore): Promise<EntityLists> {
    const { reader, journal } = scratch;
    const source = await scratch.openSource(ENTITIES);
    const events = new FindEventsQuery(source, reader, journal, nothing, nothing);
    const points = new AsOfQuery(reader, events);
    const states = new EntityStatesQuery(reader);
    const walk = new WalkEntitiesQuery(source, reader, events);
    const matching = new MatchEntitiesQuery(reader, states);
    return new EntityLists(
      source,
      new FindEntitiesQuery(points, walk, matching, states, events, journal),
      new ChangedEntitiesQuery(reader, points, walk, matching, states, journal),
    );
  }

  /** All pages together. */
  list(query: object) {
    return allPages((cursor) =>
      this.lists.find(entityListQuery.parse(asText({ ...query, cursor })), null, SIGNAL),
    );
  }

  count(query: object) {
    return this.lists.count(entityListQuery.parse(asText(query)), SIGNAL);
  }

  /** All pages together. */
  changed(query: object) {
    return allPages((cursor) =>
      this.changes.find(changedEntitiesQuery.parse(asText({ ...query, cursor })), null, SIGNAL),
    );
  }

  close(): Promise<void> {
    return this.source.destroy();
  }
}

/** Numbers as they are in the query of a request. */
const asText = (query: object) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  );

async function allPages<Item>(
  read: (cursor: string | undefined) => Promise<{ data: Item[]; next_cursor: string | null }>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let cursor: string | undefined = undefined, pages = 0; pages < 500; pages += 1) {
    const page = await read(cursor);
    all.push(...page.data);
    if (page.next_cursor === null) return all;
    cursor = page.next_cursor;
  }
  throw new Error('The pages do not end.');
}
