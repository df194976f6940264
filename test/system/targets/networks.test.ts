import { alertSummary } from '../../../src/contract/alert';
import { pageOf } from '../../../src/contract/page';
import { target } from '../../../src/contract/target';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const TYPE = 'relay.target.address_denied';

let board: Switchboard;
let place: RecordingTarget;

beforeAll(async () => {
  place = await RecordingTarget.start();
  board = await Switchboard.start();
});

afterAll(async () => {
  await board.end();
  await place.close();
});

const restart = async (environment: Record<string, string>) => {
  await board.stop();
  board = await Switchboard.start({ after: board, environment });
};
const told = async () => {
  const { data } = await board.read(pageOf(alertSummary), '/alerts');
  return data.filter(({ type }) => type === TYPE);
};

it('a target in a network that is no longer allowed stays, is told of at the start, and is sent nothing until it is', async () => {
  const literal = await board.addTarget('by address', place.url, ['networks.*']);
  const named = await board.addTarget('by name', place.url.replace('127.0.0.1', 'localhost'), ['never.*']);
  expect(await told()).toEqual([]);

  await restart({ SWITCHBOARD_TARGET_ALLOW: 'public' });
  await until('both are told of', async () => (await told()).length === 2);
  const alerts = await told();
  expect(new Set(alerts.map(({ subject }) => subject))).toEqual(new Set([literal.id, named.id]));
  for (const { sentence, remedy } of alerts) {
    expect(sentence).toMatch(
      /^Nothing is sent to by (address|name): .* SWITCHBOARD_TARGET_ALLOW has to name/,
    );
    expect(remedy).toMatch(/SWITCHBOARD_TARGET_ALLOW=public,(127\.0\.0\.0\/8|::1\/128)/);
  }
  expect(board.logged).toContain('Nothing is sent to by address');
  expect(board.logged).toContain('"target_allow":["public"]');
  expect((await board.read(pageOf(target), '/targets')).data).toHaveLength(2);
  const id = await board.emit('networks.refused');
  const { attempts } = await board.deliveryOnce(id, literal.id, (one) => one.attempts.length === 1);
  expect(attempts[0]).toMatchObject({ status: null, error: 'address_denied' });
  expect(place.hits).toEqual([]);

  await board.removeTarget(named);
  await until('it is told of no longer', async () => (await told()).length === 1);

  await restart({ SWITCHBOARD_TARGET_ALLOW: 'public,127.0.0.0/8' });
  await until('none is told of', async () => (await told()).length === 0);
  board.clock.move(60_000);
  await board.deliveryOnce(id, literal.id, ({ state }) => state === 'succeeded');
});
