import type { EventType } from '../../protocol/event-types';
import { type RandomBytes, randomBelow } from '../random';
import { USER_IDS } from './sample-data';
import type { EventData } from './records';
import type { Crm, Subject } from './crm';

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

const WEIGHTED_EPISODES = EPISODES.flatMap(({ often, steps }) => Array<typeof steps>(often).fill(steps));

interface Episode {
  /** Those still to come. */
  steps: readonly EventType[];
  subject: Subject;
}

/**
 * A day at the sales floor: each user is in one episode at a time, all steps of it about the same company or deal, and
 * the events of all users interleave.
 */
export class WorkingDay {
  private readonly episodes: Episode[] = USER_IDS.map(() => ({ steps: [], subject: {} }));

  constructor(
    private readonly crm: Crm,
    private readonly random: RandomBytes,
  ) {}

  /** Lets the next thing happen. */
  nextEvent(): { event: EventType; data: EventData } {
    const at = randomBelow(this.random, this.episodes.length);
    const { steps, subject } = this.currentOrNew(this.episodes[at]);
    const event = this.crm.withinCapacity(steps[0] ?? 'deal.updated');
    const data = this.crm.generate(event, subject);
    this.episodes[at] = { steps: steps.slice(1), subject: { ...subject, ...subjectOf(data) } };
    return { event, data };
  }

  private currentOrNew(episode: Episode | undefined): Episode {
    if (episode && episode.steps.length > 0) return episode;
    return {
      steps: WEIGHTED_EPISODES[randomBelow(this.random, WEIGHTED_EPISODES.length)] ?? [],
      subject: {},
    };
  }
}

/** The subject of the later steps of the episode. */
function subjectOf(data: EventData): Subject {
  if ('company' in data) return { company: data.company };
  return { dealId: 'deal_id' in data ? data.deal_id : data.id };
}
