import { EVENT_TYPES, type EventType } from '../../protocol/event-types';
import { type RandomBytes, randomBelow } from '../random';

/** How often each event happens among a hundred: deals are touched all day, agents now and then. */
const SHARES: Record<EventType, number> = {
  'deal.created': 12,
  'deal.updated': 22,
  'deal.status_changed': 16,
  'deal.deleted': 2,
  'contact.created': 8,
  'contact.updated': 8,
  'task.created': 12,
  'task.completed': 10,
  'scenario.executed': 6,
  'agent.triggered': 4,
};

const LOTS = EVENT_TYPES.flatMap((type) => Array<EventType>(SHARES[type]).fill(type));

/** The type of the next event of a believable working day. */
export function chooseEventType(random: RandomBytes): EventType {
  return LOTS[randomBelow(random, LOTS.length)] ?? 'deal.updated';
}
