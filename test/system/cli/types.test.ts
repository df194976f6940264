import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubCommands } from '../../support/daemon/hub-commands';
import { runInProcess } from '../../support/daemon/run-in-process';
import { Switchboard } from '../../support/daemon/switchboard';
import { useFastIntervals } from '../../support/fast-intervals';
import { until } from '../../support/until';

useFastIntervals(200);

let hub: Switchboard;
let commands: HubCommands;
let folder: string;

beforeAll(async () => {
  hub = await Switchboard.start();
  commands = new HubCommands(hub);
  folder = mkdtempSync(join(tmpdir(), 'switchboard-types-'));
  for (let id = 1; id <= 50; id += 1) await hub.emit('deal.created', { id });
  await learned(50);
});
afterAll(async () => {
  await hub.end();
  rmSync(folder, { recursive: true });
});

const types = (...words: string[]) => commands.run(['types', ...words], 'read');

const learned = (events: number) =>
  until(`${events} are examined`, async () => {
    const { out } = await types('list', '--json');
    const { examined, state } = JSON.parse(out || '{}') as { examined?: number; state?: string };
    return examined === events && state === 'stable';
  });

it('writes the types into a file, and compares them with it later', async () => {
  const file = join(folder, 'events.ts');
  expect(await types('-o', file)).toMatchObject({ code: 0, out: '' });
  expect(readFileSync(file, 'utf8')).toContain('export interface DealCreated {');
  expect(JSON.parse((await types('--format', 'json_schema')).out)).toHaveProperty('$defs.DealCreated');
  expect(await types('--check', file)).toMatchObject({ code: 0, out: '' });

  await hub.emit('deal.created', { id: 51, note: 'x' });
  await learned(51);
  const added = '+ DealCreated.data.note: string?\n';
  expect(await types('--check', file)).toMatchObject({ code: 3, out: added });
  expect(await types('--check', file, '--allow', 'additions')).toMatchObject({ code: 0, out: added });
  expect(await types('--check', file, '--type', 'contact.*')).toMatchObject({ code: 3 });

  await hub.emit('deal.created', { id: null });
  await learned(52);
  const changed = await types('--check', file, '--allow', 'additions');
  expect(changed).toMatchObject({ code: 3 });
  expect(changed.out).toContain('~ DealCreated.data.id: number? → null | number?\n');
});

it('takes no other file, and says that no hub responds', async () => {
  const file = join(folder, 'other.ts');
  writeFileSync(file, 'export interface Other {}\n');
  expect((await types('--check', file)).code).toBe(78);
  expect((await types('--check', join(folder, 'missing.ts'))).code).toBe(78);
  const environment = await commands.environment('read');
  await hub.stop();
  writeFileSync(file, 'export type CopilotEvent = never;\n');
  const away = await runInProcess(['types', '--check', file, '--timeout', '0'], environment);
  expect(away.code).toBe(69);
  await hub.restart();
  commands = new HubCommands(hub);
});

it('lists types, shows their paths, and accepts a version', async () => {
  expect((await types('list')).out).toMatch(/^deal\.created +stable +1 +\S+Z +52 +\S+Z$/m);
  const { out } = await types('show', 'deal.created');
  expect(out).toMatch(/^version +1$/m);
  expect(out).toMatch(/^data\.id +integer \| null +100\.0 %/m);
  expect((await types('show', 'deal.created', '--of', '2')).err).toMatch(/There is no version 2/);
  expect((await commands.run(['types', 'accept', 'deal.created'])).out).toBe(
    'Accepted deal.created, version 1.\n',
  );
});
