import type { EventType } from '../../protocol/event-types';
import { type RandomBytes, randomBelow } from '../random';
import { USER_IDS } from './names';
import type { EventData } from './records';
import type { SalesFloor, Subject } from './sales-floor';

/** What somebody at a sales floor does in one go, event by event, and how often among a hundred events. */
const EPISODES: readonly { often: number; steps: readonly EventType[] }[] = [
  { often: 8, steps: ['contact.created', 'deal.created', 'task.created'] }, // a new lead
  { often: 4, steps: ['contact.updated', 'deal.created', 'task.created'] }, // a customer comes back
  { often: 4, steps: ['scenario.executed', 'agent.triggered', 'deal.updated'] }, // a call, and its summary
  { often: 2, steps: ['scenario.executed', 'deal.updated'] },
  { often: 10, steps: ['task.completed', 'deal.status_changed'] }, // what was to be done is done
  { often: 6, steps: ['deal.updated', 'deal.status_changed'] },
  { often: 4, steps: ['contact.updated', 'deal.updated'] },
  { often: 6, steps: ['deal.updated'] },
  { often: 2, steps: ['deal.deleted'] }, // tidying up
];

const LOTS = EPISODES.flatMap(({ often, steps }) => Array<typeof steps>(often).fill(steps));

interface Episode {
  /** Those still to come. */
  steps: readonly EventType[];
  about: Subject;
}

/**
 * A day at the sales floor: each user is in one episode at a time, all steps of it about the same company or deal, and
 * the events of all users interleave.
 */
export class WorkingDay {
  private readonly episodes: Episode[] = USER_IDS.map(() => ({ steps: [], about: {} }));

  constructor(
    private readonly floor: SalesFloor,
    private readonly random: RandomBytes,
  ) {}

  /** Lets the next thing happen. */
  goOn(): { event: EventType; data: EventData } {
    const at = randomBelow(this.random, this.episodes.length);
    const { steps, about } = this.underWay(this.episodes[at]);
    const event = this.floor.insteadOf(steps[0] ?? 'deal.updated');
    const data = this.floor.act(event, about);
    this.episodes[at] = { steps: steps.slice(1), about: { ...about, ...subjectOf(data) } };
    return { event, data };
  }

  private underWay(episode: Episode | undefined): Episode {
    if (episode && episode.steps.length > 0) return episode;
    return { steps: LOTS[randomBelow(this.random, LOTS.length)] ?? [], about: {} };
  }
}

/** What later steps of the episode are about. */
function subjectOf(data: EventData): Subject {
  if ('company' in data) return { company: data.company };
  return { dealId: 'deal_id' in data ? data.deal_id : data.id };
}
