import { Injectable } from '@nestjs/common';
import type { Repair } from '../../contract/repair';
import { OutageStore } from '../outages/outage.store';
import { acceptingTargets } from '../targets/accepting-targets';
import { TargetsService } from '../targets/targets.service';
import { isDeleted } from '../events/entities/present-state';
import type { FoundItem } from './reading/repair-reading';
import type { RepairRow } from './repair-row';
import { eventTypesOf, syntheticEvent } from './synthetic-event';

/** Counts the events that each target would be sent. */
@Injectable()
export class PreviewedTargets {
  constructor(
    private readonly targets: TargetsService,
    private readonly outages: OutageStore,
  ) {}

  async counter(row: RepairRow): Promise<{ count(item: FoundItem): void; result(): Repair['targets'] }> {
    const outages = await this.outages.named(row.outage_ids);
    const targets = this.targets.all();
    const events = new Map<string, number>();
    return {
      count: (item) => {
        const { action, state } = item;
        if (action === 'absent') return;
        for (const type of eventTypesOf(
          item,
          state === null || isDeleted(state.type) ? null : state,
          outages,
        )) {
          const { draft, content } = syntheticEvent(row, item, type, { webhookId: null, now: 0 });
          for (const { id } of acceptingTargets(draft, targets, () => content))
            events.set(id, (events.get(id) ?? 0) + 1);
        }
      },
      result: () =>
        targets.flatMap(({ id, name }) => {
          const count = events.get(id);
          return count === undefined ? [] : [{ target_id: id, name, events: count }];
        }),
    };
  }
}
