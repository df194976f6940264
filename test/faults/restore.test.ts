import { expectRestored, reportRestore } from '../support/runs/expect-restored';
import { runRestore } from '../support/runs/restore-run';

const PER_SECOND = Number(process.env['PER_SECOND'] ?? 300);
const BALLAST_MIB = Number(process.env['BALLAST_MIB'] ?? 512);

describe('a hub with a large database that is destroyed under load, and restored from a backup', () => {
  it.each([
    ['of this version', false],
    ['of the first release', true],
  ])(
    'acknowledges every notification at its first attempt during a backup %s, and continues from it',
    async (_, ofFirstSchema) => {
      const plan = {
        perSecond: PER_SECOND,
        count: 10 * PER_SECOND,
        ballastMiB: BALLAST_MIB,
        ofFirstSchema,
      };
      const found = await runRestore(plan);
      reportRestore(found);
      expectRestored(found, plan);
      expect(found.retried).toBe(0);
      expect(found.upgraded.length > 0).toBe(ofFirstSchema);
    },
  );
});
