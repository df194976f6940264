import type { FollowingEvents } from '../../contract/event';
import type { Problem } from '../../contract/problem';
import { CommandFailed } from '../command-failed';
import type { EventFilterFlags } from '../definitions/event-filters';
import type { HubFlags } from '../definitions/hub-flags';
import { EXIT } from '../exit-codes';
import { itemTexts } from './item-texts';
import { note } from './output';

/** For how long the hub holds a request if nothing matches. */
const WAIT_S = 30;
const MAX_PAGE = 200;

export interface TailFlags extends HubFlags, EventFilterFlags {
  after?: string;
  full?: true;
  field?: string[];
  consumer?: string;
  takeOver?: true;
  follow: boolean;
  limit?: number;
}

/** A page of events, and their texts as the hub sent them. */
export type TailPage = FollowingEvents & { texts: string[] };

/** How to ask for the next page; nothing more is wanted if `left` events were read. */
export const pageSize = (left: number, { follow: waits, full }: TailFlags) => ({
  wait: waits ? WAIT_S : 0,
  limit: Math.min(left, MAX_PAGE),
  include: full ? ('body' as const) : undefined,
});

export const parsePage = (text: string): TailPage => ({
  ...(JSON.parse(text) as FollowingEvents),
  texts: itemTexts(text),
});

/** The position behind events that were removed, which is said. @throws the error itself if it is another one */
export function behindLoss(error: unknown): string {
  if (!(error instanceof CommandFailed) || error.code !== 'position_pruned') throw error;
  const { missed = 0, oldest_cursor: position } = error.others as Partial<Problem>;
  note(`${missed.toLocaleString('en')} events were removed before they were read.`);
  process.exitCode = EXIT.gone;
  return position!;
}
