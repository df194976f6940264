import { fuzzOverHttp } from '../fuzz/over-http';

describe('whatever comes over the wire', () => {
  fuzzOverHttp(640);
});
