import { describeManyReplays } from '../../support/runs/many-replays';

describe('thousands of replays', () => {
  describeManyReplays({ running: 2_000, resumed: 200, ended: 5_000 });
});
