import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  sandbox,
  type Sandbox,
  type SandboxEmitted,
  type SandboxEvent,
  type SandboxFaults,
  type SandboxTraffic,
} from '../../contract/sandbox';
import { RelayError } from '../ground/relay-error';
import { Settings } from '../settings/settings';
import { UpstreamHttp, type UpstreamRequest } from './upstream-http';

const { traffic, faults } = sandbox.shape;
const emitted = z.object({ event: z.string(), webhookIds: z.array(z.string()) });
const refusal = z.object({
  detail: z.string(),
  errors: z.array(z.object({ field: z.string(), detail: z.string() })).default([]),
});

/**
 * Steers the sandbox that the demo puts in Co-Pilot's place, by the few routes of its developer panel that are named here.
 * What is on is known there alone.
 */
@Injectable()
export class SandboxControls {
  constructor(
    private readonly settings: Settings,
    private readonly upstream: UpstreamHttp,
  ) {}

  get exist(): boolean {
    return this.settings.copilot.isSandbox;
  }

  /** @throws RelayError `no_sandbox`, 404, and `sandbox_away`, 503, as do all the others */
  async show(): Promise<Sandbox> {
    const [trafficNow, faultsNow] = await Promise.all([
      this.ask(traffic, 'GET', '/panel/traffic'),
      this.ask(faults, 'GET', '/panel/faults'),
    ]);
    return { traffic: trafficNow, faults: faultsNow };
  }

  /** @throws RelayError `sandbox_refused`, 400, as do those below */
  async changeTraffic(changes: SandboxTraffic): Promise<Sandbox> {
    await this.ask(traffic, 'PATCH', '/panel/traffic', changes);
    return this.show();
  }

  async changeFaults(changes: SandboxFaults): Promise<Sandbox> {
    await this.ask(faults, 'PATCH', '/panel/faults', changes);
    return this.show();
  }

  async emit(event: SandboxEvent): Promise<SandboxEmitted> {
    const { event: type, webhookIds } = await this.ask(emitted, 'POST', '/panel/events', event);
    return { type, webhooks: webhookIds.length };
  }

  private async ask<Answer>(
    schema: z.ZodType<Answer>,
    method: UpstreamRequest['method'],
    path: string,
    json?: unknown,
  ): Promise<Answer> {
    if (!this.exist) throw noSandbox();
    const body = json === undefined ? null : { contentType: 'application/json', text: JSON.stringify(json) };
    const answer = await this.upstream.send({ method, path, headers: {}, body, secrets: [] });
    if (answer.kind === 'unreachable') throw away(`it does not answer (${answer.reason})`);
    const said = schema.safeParse(answer.body);
    if (answer.status < 300 && said.success) return said.data;
    const refused = refusal.safeParse(answer.body);
    if (answer.status === 422 && refused.success) throw refusedBy(refused.data);
    throw away(`its answer ${answer.status} cannot be understood`);
  }
}

function noSandbox(): RelayError {
  return new RelayError(
    'no_sandbox',
    404,
    'This Switchboard is connected to a Co-Pilot, not to the sandbox.',
    {
      remedy: 'Start the demo to try things out: npm run demo.',
    },
  );
}

function away(what: string): RelayError {
  return new RelayError('sandbox_away', 503, `The sandbox cannot be steered: ${what}.`, {
    remedy: 'Start the demo again; if that does not help, look at what it prints.',
  });
}

function refusedBy({ detail, errors }: z.infer<typeof refusal>): RelayError {
  return new RelayError('sandbox_refused', 400, `The sandbox refused: ${detail}`, {
    errors: errors.map(({ field, detail: message }) => ({ path: field, message })),
  });
}
