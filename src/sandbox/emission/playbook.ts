import type { Deal } from '../../protocol/shapes';
import { isoTime } from '../clock';
import { pickOne, randomBelow } from '../random';
import type { DealDesk } from './deal-desk';
import { AGENTS, SCENARIOS } from './names';
import type { AgentRun, ScenarioRun } from './records';
import type { Registrar } from './registrar';

const LONGEST_RUN_MS = 20 * 60_000;

/** The account's scenarios and agents, which work on the deals of the sales floor. */
export class Playbook {
  constructor(
    private readonly registrar: Registrar,
    private readonly deals: DealDesk,
  ) {}

  /** A scenario has been executed on a deal; any where none is named. */
  execute(
    scenario: (typeof SCENARIOS)[number] = pickOne(this.registrar.random, SCENARIOS),
    dealId?: number,
  ): ScenarioRun {
    const { clock, random } = this.registrar;
    const deal = this.dealOf(dealId);
    const lengthMs = 1_000 + randomBelow(random, LONGEST_RUN_MS);
    return {
      id: this.registrar.newId(),
      scenario_id: scenario.id,
      name: scenario.name,
      deal_id: deal.id,
      responsible_user_id: deal.responsible_user_id,
      started_at: isoTime(clock.now() - lengthMs),
      finished_at: isoTime(clock.now()),
    };
  }

  /** An agent is set off by a deal; any where none is named. */
  trigger(
    agent: (typeof AGENTS)[number] = pickOne(this.registrar.random, AGENTS),
    dealId?: number,
  ): AgentRun {
    return {
      id: this.registrar.newId(),
      agent_id: agent.id,
      name: agent.name,
      trigger: agent.trigger,
      deal_id: this.dealOf(dealId).id,
      triggered_at: isoTime(this.registrar.clock.now()),
    };
  }

  private dealOf(id: number | undefined): Deal {
    const named = id === undefined ? undefined : this.deals.find(id);
    return named ?? this.deals.any();
  }
}
