import { fuzzInProcess } from '../fuzz/in-process';
import { fuzzOverHttp } from '../fuzz/over-http';

const CASES = 100_000;

describe('random input', () => {
  fuzzInProcess(CASES);
});

describe('random requests', () => {
  fuzzOverHttp(CASES);
});

describe('the same random requests each time', () => {
  fuzzOverHttp(20_000, 1);
});
