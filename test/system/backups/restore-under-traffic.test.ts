import { expectRestored } from '../../support/runs/expect-restored';
import { runRestore } from '../../support/runs/restore-run';

describe('a hub that is destroyed under traffic, and restored from a backup', () => {
  it.each([
    ['of this version', false, 20],
    ['of the first release', true, 0],
  ])(
    'continues with everything that was stored before a backup %s, and reports what is missing since',
    async (_, ofFirstSchema, ballastMiB) => {
      const plan = { perSecond: 40, count: 40, ballastMiB, ofFirstSchema };
      const found = await runRestore(plan);
      expectRestored(found, plan);
      expect(found.upgraded.length > 0).toBe(ofFirstSchema);
    },
  );
});
