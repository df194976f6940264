import { isoTime } from '../clock';
import { pickOne, randomBelow } from '../random';
import type { Deals } from './deals';
import { AGENTS, SCENARIOS } from './sample-data';
import type { RecordFactory } from './record-factory';

const LONGEST_RUN_MS = 20 * 60_000;

/** Makes up the records of runs of the account's scenarios and agents on deals; nothing is executed. */
export class Automations {
  constructor(
    private readonly factory: RecordFactory,
    private readonly deals: Deals,
  ) {}

  /**
   * The record of a run that ends now; the document does not show its fields (2.5). Without a scenario, or without the
   * id of a known deal, one is picked at random.
   */
  executeScenario(
    scenario: (typeof SCENARIOS)[number] = pickOne(this.factory.random, SCENARIOS),
    dealId?: number,
  ) {
    const { clock, random } = this.factory;
    const deal = this.deals.findOrAny(dealId);
    const lengthMs = 1_000 + randomBelow(random, LONGEST_RUN_MS);
    return {
      id: this.factory.newId(),
      scenario_id: scenario.id,
      name: scenario.name,
      deal_id: deal.id,
      responsible_user_id: deal.responsible_user_id,
      started_at: isoTime(clock.now() - lengthMs),
      finished_at: isoTime(clock.now()),
    };
  }

  /** The record of an agent's run on a deal. What is not given is picked as in `executeScenario`. */
  triggerAgent(agent: (typeof AGENTS)[number] = pickOne(this.factory.random, AGENTS), dealId?: number) {
    return {
      id: this.factory.newId(),
      agent_id: agent.id,
      name: agent.name,
      trigger: agent.trigger,
      deal_id: this.deals.findOrAny(dealId).id,
      triggered_at: isoTime(this.factory.clock.now()),
    };
  }
}
