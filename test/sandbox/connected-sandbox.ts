import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';
import type { QuirkValues } from '../../src/sandbox/quirks/quirks';
import { TimerClock } from '../support/timer-clock';
import { Client, type TokenResult } from './client';
import { patchSandbox } from './patch-sandbox';
import { type Receiver, startReceiver } from './receiver';

export let clock: TimerClock;
export let sandbox: Sandbox;
export let receiver: Receiver;
export let client: Client;
export let tokens: TokenResult;

/** Starts a receiver and a sandbox with a connected client before each test. */
export function useConnectedSandbox(): void {
  beforeEach(async () => {
    clock = new TimerClock();
    receiver = await startReceiver();
    sandbox = await startSandbox({ consent: 'grant', clock });
    client = new Client(sandbox);
    tokens = await client.connect('webhooks,deals');
  });

  afterEach(async () => {
    await sandbox.close();
    await receiver.close();
  });
}

/** Replaces the sandbox by one with these initial quirks, to which no client is connected. */
export async function replaceSandbox(quirks: Partial<QuirkValues>): Promise<void> {
  await sandbox.close();
  sandbox = await startSandbox({ consent: 'grant', quirks });
}

export const setQuirks = (changes: object): Promise<{ status: number; body: unknown }> =>
  patchSandbox(sandbox, 'quirks', changes);
