import { target } from '../../../src/contract/target';
import { pageOf } from '../../../src/contract/page';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { receiver, rejectedAddress, save, startAgain, switchboard, useHub } from './hub';

useHub();

it('each entry of the settings creates its target once, whatever an operator does with it', async () => {
  const names = ['kept', 'renamed', 'moved', 'deleted', 'off', 'by hand'];
  const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
  const environment = {
    SWITCHBOARD_TARGETS: names.map((name) => `${name}=${receiver.url}${name.replace(' ', '')}`).join(','),
    SWITCHBOARD_TARGET_SECRETS: `kept=${secret}`,
    LOG_LEVEL: 'info',
  };
  let hub = await Switchboard.start();
  try {
    await hub.addTarget('by hand', receiver.url, ['*']);
    const restart = async () => {
      await hub.restart(environment);
      return (await hub.read(pageOf(target), '/targets')).data;
    };
    const before = await restart();
    expect(before.map(({ name }) => name)).toEqual(['by hand', ...names.slice(0, -1)]);
    const change = async (name: string, method: string, json?: object) => {
      const { id } = before.find((one) => one.name === name)!;
      expect((await hub.ask(`/targets/${id}`, { method, ...(json && { json }) })).status).toBeLessThan(300);
    };
    await change('renamed', 'PATCH', { name: 'new name' });
    await change('moved', 'PATCH', { url: `${receiver.url}elsewhere` });
    await change('off', 'PATCH', { enabled: false });
    await change('deleted', 'DELETE');
    for (let starts = 0; starts < 2; starts += 1) {
      const after = await restart();
      expect(after.map(({ name }) => name)).toEqual(['by hand', 'kept', 'new name', 'moved', 'off']);
      expect(after.find(({ name }) => name === 'moved')?.url).toBe(`${receiver.url}elsewhere`);
    }
    const twin = await hub.addTarget('twin', `${receiver.url}kept`, ['*']);
    expect((await hub.read(target, `/targets/${twin.id}`)).warnings).toEqual([
      expect.stringContaining('The target kept has the same address'),
    ]);
  } finally {
    await hub.end();
  }
});

describe('after a restart', () => {
  it('results, pauses and queued deliveries are unchanged, and denied addresses are denied on connection', async () => {
    const byName = await switchboard.addTarget('by name', receiver.url.replace('127.0.0.1', 'localhost'), [
      'kept.*',
    ]);
    const literal = await switchboard.addTarget('literal', receiver.url, ['kept.*']);
    const paused = await switchboard.addTarget('paused', receiver.url, ['kept.*']);
    await switchboard.ask(`/targets/${paused.id}/pause`, { method: 'POST' });
    const id = await switchboard.emit('kept.event');
    const before = await switchboard.deliveryOnce(id, literal.id, ({ state }) => state === 'succeeded');
    await switchboard.deliveryOnce(id, byName.id, ({ state }) => state === 'succeeded');

    await switchboard.stop();
    await startAgain({
      SWITCHBOARD_TARGET_DENY: '127.0.0.0/8,::1/128',
      SWITCHBOARD_TARGETS: 'from the settings=http://10.1.2.3/',
    });
    expect(await switchboard.delivery(before.id)).toEqual(before);
    const shown = await switchboard.read(target, `/targets/${paused.id}`);
    expect(shown.paused).not.toBeNull();
    expect(shown.backlog.open).toBe(1);

    const denied = await switchboard.emit('kept.event');
    const hits = receiver.hits.length;
    for (const { id: targetId } of [byName, literal]) {
      const { attempts } = await switchboard.deliveryOnce(denied, targetId, (one) => one.attempts.length > 0);
      expect(attempts[0]).toMatchObject({ status: null, error: 'address_denied' });
    }
    expect(await rejectedAddress('http://localhost:3000/')).toMatchObject({
      status: 422,
      code: 'address_denied',
    });
    expect(await rejectedAddress('http://[::ffff:127.0.0.1]:3000/')).toMatchObject({
      status: 422,
      code: 'address_denied',
    });
    expect((await save('http://169.254.169.254/')).status).toBe(201);
    expect(receiver.hits).toHaveLength(hits);

    await switchboard.stop();
    await startAgain({
      SWITCHBOARD_TARGET_ALLOW: '127.0.0.1/32',
      SWITCHBOARD_TARGETS: 'from the settings=http://10.1.2.3/',
    });
    const { data } = await switchboard.read(pageOf(target), '/targets');
    expect(data.filter(({ name }) => name === 'from the settings')).toHaveLength(1);
    expect(await rejectedAddress('http://10.1.2.4/')).toMatchObject({ status: 422, code: 'address_denied' });
    await switchboard.ask(`/targets/${paused.id}/resume`, { method: 'POST' });
    await switchboard.deliveryOnce(id, paused.id, ({ state }) => state === 'succeeded');
    switchboard.clock.move(10_000);
    await switchboard.deliveryOnce(denied, literal.id, ({ state }) => state === 'succeeded');
    await until('both arrive', () => receiver.of(denied).length >= 2);
  });
});
