import { NewConnections } from '../../../src/relay/http/new-connections';

const admitted = (connections: NewConnections, network: string, count: number) =>
  Array.from({ length: count }, () => connections.admits(network)).filter(Boolean).length;

describe('the new connections of a network', () => {
  it('are 500 at once, and 50 a second after that', () => {
    let now = 0;
    const connections = new NewConnections({ monotonic: () => now, now: () => 0, slept: () => 0 });
    expect(admitted(connections, 'one', 1_000)).toBe(500);
    expect(admitted(connections, 'other', 10)).toBe(10);
    now += 1_000;
    expect(admitted(connections, 'one', 1_000)).toBe(50);
    now += 60_000;
    expect(admitted(connections, 'one', 1_000)).toBe(500);
  });

  it('are not limited for an hour after it has proven who it is', () => {
    let now = 0;
    const connections = new NewConnections({ monotonic: () => now, now: () => 0, slept: () => 0 });
    connections.trust('one');
    expect(admitted(connections, 'one', 5_000)).toBe(5_000);
    now += 59 * 60_000;
    expect(admitted(connections, 'one', 5_000)).toBe(5_000);
    now += 2 * 60_000;
    expect(admitted(connections, 'one', 5_000)).toBeLessThanOrEqual(500);
  });
});
