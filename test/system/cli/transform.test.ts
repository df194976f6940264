import { HubCommands } from '../../support/daemon/hub-commands';
import { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget } from '../../support/fakes/recording-target';

let hub: Switchboard;
let receiver: RecordingTarget;

beforeAll(async () => {
  hub = await Switchboard.start();
  receiver = await RecordingTarget.start();
});

afterAll(async () => {
  await hub.end();
  await receiver.close();
});

it('an expression is tested with the events of its target: 0 only if it fails with none', async () => {
  const commands = new HubCommands(hub);
  const transform = { expression: 'data.price + 1' };
  await hub.addTarget('shop', receiver.url, ['sold'], { transform });
  await hub.addTarget('plain', receiver.url, ['never']);
  const first = await hub.emit('sold', { price: 1 });
  expect(await commands.run(['transform', 'test', 'shop', '--json'], 'read')).toMatchObject({
    code: 0,
    out: expect.stringContaining(`{"event_id":"${first}","ok":true,"output":2}`),
  });
  const second = await hub.emit('sold', { price: 'one' });
  const failing = await commands.run(['transform', 'test', 'shop']);
  expect(failing.code).toBe(3);
  expect(failing.out).toMatch(new RegExp(`^${second} +failed +T2001 at character 12: .*$`, 'm'));
  expect(failing.out).toMatch(new RegExp(`^${first} +ok +2$`, 'm'));
  expect(failing.err).toContain('1 of 2 events failed.');
  const other = ['transform', 'test', 'shop', '--expression', '$string(data.price)', '--last', '1'];
  expect(await commands.run(other)).toMatchObject({
    code: 0,
    err: expect.stringContaining('0 of 1 events failed.'),
  });
  expect((await commands.run(['transform', 'test', 'plain'])).code).toBe(2);
});

it('the tests beside an expression are run too: 3 if one of them fails', async () => {
  const commands = new HubCommands(hub);
  const tests = [
    { name: 'five', input: { price: 5 }, expected: { sum: 6 } },
    { name: 'none', input: {}, expected: {} },
  ];
  await hub.addTarget('tested', receiver.url, ['never'], {
    transform: { expression: '{"sum": price + 1}', tests },
  });
  const passing = await commands.run(['transform', 'test', 'tested']);
  expect(passing).toMatchObject({ code: 0, err: expect.stringContaining('0 of 2 tests failed.') });
  const failing = await commands.run(['transform', 'test', 'tested', '--expression', '{"sum": price}']);
  expect(failing.code).toBe(3);
  expect(failing.out).toMatch(/^five +failed +sum is 5 in place of 6$/m);
  expect(failing.out).toMatch(/^none +ok +\{\}$/m);
});
