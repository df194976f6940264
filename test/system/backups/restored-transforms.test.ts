import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backups } from '../../../src/contract/backup';
import type { EventSummary } from '../../../src/contract/event';
import type { Page } from '../../../src/contract/page';
import { target as targetSchema } from '../../../src/contract/target';
import { runCommand } from '../../support/daemon/run-command';
import { until } from '../../support/until';
import { patch, receiver, startAgain, switchboard, useHub } from '../targets/hub';

useHub();

const folder = mkdtempSync(join(tmpdir(), 'switchboard-transforms-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bodies = () => receiver.hits.map(({ body }) => body.toString());

it('a restored hub has the expressions of its targets, their tests and earlier versions, and sends the same', async () => {
  const expression = '{"from": $previous.data.stage, "to": data.stage}';
  const tests = [{ name: 'moved', input: { data: { stage: 'won' } }, expected: { to: 'won' } }];
  const { id } = await switchboard.addTarget('restored', receiver.url, ['lead.moved'], {
    transform: { expression: 'data.stage' },
  });
  const delivered = (event: string) =>
    switchboard.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
  await delivered(await switchboard.emit('lead.moved', { id: 1, stage: 'new' }));
  await patch(id, { transform: { expression, tests } });
  await delivered(await switchboard.emit('lead.moved', { id: 1, stage: 'won' }));
  const { transform } = await switchboard.read(targetSchema, `/targets/${id}`);
  const sent = bodies();
  expect(sent).toEqual(['"new"', '{"from":"new","to":"won"}']);

  const file = join(folder, 'backup.db');
  await switchboard.ask('/backups', { method: 'POST', json: { file } });
  await until('there is a backup', async () => {
    const { latest } = (await switchboard.ask('/backups')).json as Backups;
    return latest?.file === file;
  });
  await switchboard.stop();
  for (const name of readdirSync(switchboard.dataDir).filter((one) => one !== 'secret.key'))
    rmSync(join(switchboard.dataDir, name), { recursive: true });
  expect(await runCommand(switchboard.dataDir, ['restore', file])).toMatchObject({ code: 0 });
  await startAgain();

  expect((await switchboard.read(targetSchema, `/targets/${id}`)).transform).toEqual(transform);
  const { data } = (await switchboard.ask('/events?type=lead.moved')).json as Page<EventSummary>;
  const events = await Promise.all(data.map((event) => switchboard.event(event.id)));
  const made = events.map(async ({ deliveries: [delivery] }) =>
    switchboard.ask(`/deliveries/${delivery!.id}/body`),
  );
  expect((await Promise.all(made)).map(({ text }) => text)).toEqual(sent.toReversed());
  await switchboard.ask(`/events/${events[0]!.id}/replay`, { method: 'POST', json: {} });
  await until('it is sent again', () => bodies().length === 3);
  expect(bodies().at(-1)).toBe(sent[1]);
});
