import { alertSummary } from '../../../src/contract/alert';
import { pageOf } from '../../../src/contract/page';
import { target } from '../../../src/contract/target';
import { until } from '../../support/until';
import { receiver, startAgain, switchboard, useHub } from './hub';

const TYPE = 'relay.target.address_denied';

useHub();

const restart = async (environment: Record<string, string>) => {
  await switchboard.stop();
  await startAgain(environment);
};
const addressAlerts = async () => {
  const { data } = await switchboard.read(pageOf(alertSummary), '/alerts');
  return data.filter(({ type }) => type === TYPE);
};

it('a target in a network that is no longer allowed raises an alert at the start, and is sent nothing until it is allowed again', async () => {
  const literal = await switchboard.addTarget('by address', receiver.url, ['networks.*']);
  const named = await switchboard.addTarget('by name', receiver.url.replace('127.0.0.1', 'localhost'), [
    'never.*',
  ]);
  expect(await addressAlerts()).toEqual([]);

  await restart({ SWITCHBOARD_TARGET_ALLOW: 'public' });
  await until('both have an alert', async () => (await addressAlerts()).length === 2);
  const alerts = await addressAlerts();
  expect(new Set(alerts.map(({ subject }) => subject))).toEqual(new Set([literal.id, named.id]));
  for (const { sentence, remedy } of alerts) {
    expect(sentence).toMatch(/^Nothing is sent to by (address|name): .* SWITCHBOARD_TARGET_ALLOW must list/);
    expect(remedy).toMatch(/SWITCHBOARD_TARGET_ALLOW=public,(127\.0\.0\.0\/8|::1\/128)/);
  }
  expect(switchboard.logged).toContain('Nothing is sent to by address');
  expect(switchboard.logged).toContain('"target_allow":["public"]');
  expect((await switchboard.read(pageOf(target), '/targets')).data).toHaveLength(2);
  const id = await switchboard.emit('networks.rejected');
  const { attempts } = await switchboard.deliveryOnce(id, literal.id, (one) => one.attempts.length === 1);
  expect(attempts[0]).toMatchObject({ status: null, error: 'address_denied' });
  expect(receiver.hits).toEqual([]);

  await switchboard.removeTarget(named);
  await until('its alert is resolved', async () => (await addressAlerts()).length === 1);

  await restart({ SWITCHBOARD_TARGET_ALLOW: 'public,127.0.0.0/8' });
  await until('no alert is active', async () => (await addressAlerts()).length === 0);
  switchboard.clock.move(60_000);
  await switchboard.deliveryOnce(id, literal.id, ({ state }) => state === 'succeeded');
});
