import { fuzzOverHttp } from '../fuzz/over-http';

describe('random requests', () => {
  fuzzOverHttp(160);
});
