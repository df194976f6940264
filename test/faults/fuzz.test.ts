import { fuzzInProcess } from '../fuzz/in-process';
import { fuzzOverHttp } from '../fuzz/over-http';

const CASES = 100_000;

describe('whatever is sent', () => {
  fuzzInProcess(CASES);
});

describe('whatever comes over the wire', () => {
  fuzzOverHttp(CASES);
});
