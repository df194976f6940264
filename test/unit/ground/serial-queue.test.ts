import { SerialQueue } from '../../../src/relay/ground/serial-queue';

it('runs tasks in order, each after the previous one has settled, even if that failed', async () => {
  const queue = new SerialQueue();
  const steps: string[] = [];
  const task =
    (name: string, fails = false) =>
    async () => {
      steps.push(`${name} starts`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const failed = queue.run(task('a', true)).catch((error: Error) => `failed: ${error.message}`);
  const done = queue.run(task('b'));
  await queue.idle();
  expect(steps).toEqual(['a starts', 'a ends', 'b starts', 'b ends']);
  expect(await Promise.all([failed, done])).toEqual(['failed: a', 'b']);
});
