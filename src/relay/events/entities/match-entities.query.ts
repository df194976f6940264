import { Injectable } from '@nestjs/common';
import type { EntityFilters } from '../../../contract/entity';
import { BODIES_OF, Reader, type RequestSignal } from '../../database/reading/reader';
import { stateConditions } from '../../filters/body-conditions';
import { matchBodies, toBatches } from '../search/match-bodies';
import { EntityStatesQuery, type StateHead } from './entity-states.query';
import type { Block } from './entity-pages';
import { isDeleted } from './present-state';

/** Which states are wanted. */
export type StateFilters = Pick<EntityFilters, 'state' | 'payload' | 'q'>;

export type MatchingStates = Block<StateHead>;

/** Derives the states of listed entities, a block at once, and keeps those that match. */
@Injectable()
export class MatchEntitiesQuery {
  constructor(
    private readonly reader: Reader,
    private readonly states: EntityStatesQuery,
  ) {}

  /** @throws RelayError `filter_invalid`, 422 */
  async *matching(
    blocks: AsyncIterable<Block<string>>,
    asOf: number,
    filters: StateFilters,
    signal: RequestSignal | undefined,
  ): AsyncGenerator<MatchingStates> {
    const conditions = stateConditions(filters);
    for await (const { found, end } of blocks) {
      const entities = found.map(({ item }) => item);
      const heads = entities.length === 0 ? [] : await this.states.heads(entities, asOf, signal);
      const wanted = heads.filter((head) => isWanted(head, filters));
      const kept = conditions === null ? wanted : await this.meeting(wanted, conditions, signal);
      const byEntity = new Map(kept.map((head) => [head.entity, head]));
      yield {
        found: found.flatMap(({ item, place }) => {
          const head = byEntity.get(item);
          return head === undefined ? [] : [{ item: head, place }];
        }),
        end,
      };
    }
  }

  private async meeting(
    heads: readonly StateHead[],
    conditions: string,
    signal: RequestSignal | undefined,
  ): Promise<StateHead[]> {
    const { reader } = this;
    const stored = heads.filter(({ origin }) => origin === null);
    const seqs = await matchBodies({ heads: stored, conditions, reader, signal });
    const entities = new Set<string>();
    for (const batch of toBatches(heads.filter(({ origin }) => origin !== null))) {
      const names = batch.map(({ entity }) => entity);
      for (const { key } of await reader.matchBodies(names, [conditions], signal, BODIES_OF.floor))
        entities.add(key);
    }
    return heads.filter(({ origin, seq, entity }) =>
      origin === null ? seqs.has(seq) : entities.has(entity),
    );
  }
}

const isWanted = ({ type }: StateHead, { state }: StateFilters) =>
  state === 'all' || isDeleted(type) === (state === 'deleted');
