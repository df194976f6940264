import { createHash } from 'node:crypto';

/**
 * Divides targets among daemons by rendezvous hashing, none getting more than its share. Every daemon comes to the same
 * result, and when one of them joins or leaves, most targets keep their owner.
 * @param targets in the same order at each daemon
 * @returns the owner of each target; empty if there is no daemon
 */
export function divideTargets(targets: readonly number[], daemons: readonly string[]): Map<number, string> {
  const owners = new Map<number, string>();
  if (daemons.length === 0) return owners;
  const share = Math.ceil(targets.length / daemons.length);
  const counts = new Map(daemons.map((daemon) => [daemon, 0]));
  for (const target of targets) {
    let chosen = '';
    let highest = '';
    for (const [daemon, count] of counts) {
      const weight = createHash('sha1').update(`${daemon}:${target}`).digest('hex');
      if (count === share || weight <= highest) continue;
      chosen = daemon;
      highest = weight;
    }
    owners.set(target, chosen);
    counts.set(chosen, counts.get(chosen)! + 1);
  }
  return owners;
}
