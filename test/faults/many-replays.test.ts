import { describeManyReplays } from '../support/runs/many-replays';

// More are unfinished than SQLite allows parameters in a statement.
describe('tens of thousands of replays', () => {
  describeManyReplays({ running: 32_000, resumed: 2_000, ended: 100_000 });
});
