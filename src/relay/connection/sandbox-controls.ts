import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  sandbox,
  type Sandbox,
  type SandboxEmitted,
  type SandboxEvent,
  type SandboxFaultChanges,
  type SandboxTrafficChanges,
} from '../../contract/sandbox';
import { RelayError } from '../ground/relay-error';
import { Settings } from '../settings/settings';
import { UpstreamHttp, type UpstreamRequest } from './upstream-http';

const { traffic, faults } = sandbox.shape;
const emitted = z.object({ event: z.string(), webhookIds: z.array(z.string()) });
const rejection = z.object({
  detail: z.string(),
  errors: z.array(z.object({ field: z.string(), detail: z.string() })).default([]),
});

/**
 * Controls the sandbox that the demo runs in place of Co-Pilot, through a few routes of its developer panel. Its
 * state is not stored here.
 */
@Injectable()
export class SandboxControls {
  constructor(
    private readonly settings: Settings,
    private readonly upstream: UpstreamHttp,
  ) {}

  get available(): boolean {
    return this.settings.copilot.isSandbox;
  }

  /** @throws RelayError `no_sandbox`, 404, and `sandbox_away`, 503, like all other methods */
  async show(): Promise<Sandbox> {
    const [trafficNow, faultsNow] = await Promise.all([
      this.request(traffic, 'GET', '/panel/traffic'),
      this.request(faults, 'GET', '/panel/faults'),
    ]);
    return { traffic: trafficNow, faults: faultsNow };
  }

  /** @throws RelayError `sandbox_rejected`, 400, like the methods below */
  async changeTraffic(changes: SandboxTrafficChanges): Promise<Sandbox> {
    await this.request(traffic, 'PATCH', '/panel/traffic', changes);
    return this.show();
  }

  async changeFaults(changes: SandboxFaultChanges): Promise<Sandbox> {
    await this.request(faults, 'PATCH', '/panel/faults', changes);
    return this.show();
  }

  async emit(event: SandboxEvent): Promise<SandboxEmitted> {
    const { event: type, webhookIds } = await this.request(emitted, 'POST', '/panel/events', event);
    return { type, webhooks: webhookIds.length };
  }

  private async request<Result>(
    schema: z.ZodType<Result>,
    method: UpstreamRequest['method'],
    path: string,
    json?: unknown,
  ): Promise<Result> {
    if (!this.available) throw noSandbox();
    const body = json === undefined ? null : { contentType: 'application/json', text: JSON.stringify(json) };
    const response = await this.upstream.send({ method, path, headers: {}, body, secrets: [] });
    if (response.kind === 'unreachable') throw sandboxUnavailable(`it does not respond (${response.reason})`);
    const parsed = schema.safeParse(response.body);
    if (response.status < 300 && parsed.success) return parsed.data;
    const rejected = rejection.safeParse(response.body);
    if (response.status === 422 && rejected.success) throw sandboxRejected(rejected.data);
    throw sandboxUnavailable(`its response (${response.status}) cannot be parsed`);
  }
}

function noSandbox(): RelayError {
  return new RelayError('no_sandbox', 404, 'This Switchboard is connected to Co-Pilot, not to the sandbox.', {
    remedy: 'Start the demo to use the sandbox: npm run demo.',
  });
}

function sandboxUnavailable(reason: string): RelayError {
  return new RelayError('sandbox_away', 503, `The sandbox cannot be controlled: ${reason}.`, {
    remedy: 'Start the demo again; if that does not help, check its output.',
  });
}

function sandboxRejected({ detail, errors }: z.infer<typeof rejection>): RelayError {
  return new RelayError('sandbox_rejected', 400, `The sandbox rejected the request: ${detail}`, {
    errors: errors.map(({ field, detail: message }) => ({ path: field, message })),
  });
}
