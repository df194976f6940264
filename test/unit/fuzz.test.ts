import { fuzzInProcess } from '../fuzz/in-process';

describe('random input', () => {
  fuzzInProcess(2_000);
});
