import type { EventType } from '../../protocol/event-types';
import { type RandomBytes, randomBelow } from '../random';
import { USER_IDS } from './sample-data';
import type { Crm, EventData, Subject } from './crm';

/** Typical sequences of events with their relative weights. */
const EPISODES: readonly { weight: number; steps: readonly EventType[] }[] = [
  { weight: 8, steps: ['contact.created', 'deal.created', 'task.created'] }, // a new lead
  { weight: 4, steps: ['contact.updated', 'deal.created', 'task.created'] }, // a customer comes back
  { weight: 4, steps: ['scenario.executed', 'agent.triggered', 'deal.updated'] }, // a call, and its summary
  { weight: 2, steps: ['scenario.executed', 'deal.updated'] },
  { weight: 10, steps: ['task.completed', 'deal.status_changed'] }, // a task is done and its deal moves on
  { weight: 6, steps: ['deal.updated', 'deal.status_changed'] },
  { weight: 4, steps: ['contact.updated', 'deal.updated'] },
  { weight: 6, steps: ['deal.updated'] },
  { weight: 2, steps: ['deal.deleted'] }, // cleanup
];

const WEIGHTED_EPISODES = EPISODES.flatMap(({ weight, steps }) => Array<typeof steps>(weight).fill(steps));

interface Episode {
  /** The remaining steps. */
  steps: readonly EventType[];
  subject: Subject;
}

/**
 * Simulates the work of the account's users. Each user is in one episode at a time, whose steps share a company or
 * deal; the events of all users interleave.
 */
export class WorkingDay {
  private readonly episodes: Episode[] = USER_IDS.map(() => ({ steps: [], subject: {} }));

  constructor(
    private readonly crm: Crm,
    private readonly random: RandomBytes,
  ) {}

  /** Generates the next event of a random user. */
  nextEvent(): { event: EventType; data: EventData } {
    const user = randomBelow(this.random, this.episodes.length);
    const { steps, subject } = this.continueOrStart(this.episodes[user]);
    const event = this.crm.avoidOverflow(steps[0] ?? 'deal.updated');
    const data = this.crm.generate(event, subject);
    this.episodes[user] = { steps: steps.slice(1), subject: { ...subject, ...subjectOf(data) } };
    return { event, data };
  }

  private continueOrStart(episode: Episode | undefined): Episode {
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
