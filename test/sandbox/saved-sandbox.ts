import { TimerClock } from '../support/timer-clock';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox';
import { Client } from './client';
import { type Receiver, startReceiver } from './receiver';
import { rmSync, mkdtempSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { z } from 'zod';
import { parseResponse } from './parse-response';

export let folder: string;
let folders: string[];
export let clock: TimerClock;
export let sandbox: Sandbox;
let running: Sandbox[];
export let client: Client;
export let receiver: Receiver;

export function newFolder(): string {
  const created = mkdtempSync(join(tmpdir(), 'copilot-sandbox-'));
  folders.push(created);
  return created;
}

export async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const started = await startSandbox({ consent: 'grant', clock, data: folder, ...options });
  running.push(started);
  return started;
}

export async function stop(one: Sandbox): Promise<void> {
  running.splice(running.indexOf(one), 1);
  await one.close();
}

/** Replaces the sandbox by one with the current state on disk, as after a SIGKILL. */
export async function kill(options: SandboxOptions = {}): Promise<void> {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  await stop(sandbox);
  sandbox = await start({ data: copy, ...options });
  client.moveTo(sandbox);
}

/** Starts the sandbox of the test after its stop. */
export async function startAgain(options: SandboxOptions = {}): Promise<void> {
  sandbox = await start(options);
}

export async function restart(): Promise<void> {
  await stop(sandbox);
  await startAgain();
  client.moveTo(sandbox);
}

export const panel = async <T>(path: string, shape: z.ZodType<T>): Promise<T> =>
  parseResponse(await fetch(`${sandbox.baseUrl}/panel${path}`), shape);

/** Starts a sandbox that saves its state, with a client and a receiver. */
export function useSavedSandbox(): void {
  beforeEach(async () => {
    folders = [];
    running = [];
    folder = newFolder();
    clock = new TimerClock();
    receiver = await startReceiver();
    sandbox = await start();
    client = new Client(sandbox);
  });
  afterEach(async () => {
    for (const one of running) await one.close();
    await receiver.close();
    for (const one of folders) rmSync(one, { recursive: true });
  });
}
