import { pageOf } from '../../../src/contract/page';
import {
  repair,
  repairItem,
  type Repair,
  type RepairItem,
  type RepairState,
} from '../../../src/contract/repair';
import type { Deal } from '../../../src/protocol/shapes';
import { Switchboard } from '../../support/daemon/switchboard';
import { SandboxCopilot } from '../../support/fakes/sandbox-copilot';
import { until } from '../../support/until';

/** Repairs of a hub that is connected to a sandbox. */
export class RepairHub {
  private constructor(readonly relay: Switchboard<SandboxCopilot>) {}

  static async start(): Promise<RepairHub> {
    return new RepairHub(await Switchboard.startWith(await SandboxCopilot.start()));
  }

  /** Changes a deal, or with null deletes it, without a notification. */
  async changeSilently(id: number, changes: object | null): Promise<void> {
    const method = changes === null ? 'DELETE' : 'PATCH';
    await this.relay.upstream.panel(method, `/deals/${id}`, { ...changes, notify: false });
  }

  async deals(): Promise<Deal[]> {
    return (await this.relay.upstream.panel<{ data: Deal[] }>('GET', '/deals')).data;
  }

  start(body: object = {}): Promise<Repair> {
    const json = { requests_per_minute: 6_000, ...body };
    return this.relay.read(repair, '/repairs', { method: 'POST', json });
  }

  get(id: string): Promise<Repair> {
    return this.relay.read(repair, `/repairs/${id}`);
  }

  async items(id: string): Promise<RepairItem[]> {
    return (await this.relay.read(pageOf(repairItem), `/repairs/${id}/items?limit=200`)).data;
  }

  /** The repair once it is in a state. Time passes as soon as it only waits. */
  async untilState(id: string, state: RepairState): Promise<Repair> {
    let found!: Repair;
    await until(`${id} is ${state}`, async () => {
      found = await this.get(id);
      const isWaiting = found.state === 'settling' || found.problem !== null;
      if (isWaiting && found.state !== state) this.relay.clock.skip(40_000);
      return found.state === state;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${JSON.stringify(found)}`);
    });
    return found;
  }

  /** Reads everything. */
  async preview(body: object = {}): Promise<Repair> {
    return this.untilState((await this.start(body)).id, 'previewed');
  }

  async apply(id: string, body: object = {}): Promise<Repair> {
    const json = { events_per_second: 1_000, ...body };
    await this.relay.read(repair, `/repairs/${id}/apply`, { method: 'POST', json });
    return this.untilState(id, 'done');
  }

  /** Makes all deals known. */
  async learnAll(): Promise<void> {
    await this.apply((await this.preview()).id);
  }
}
