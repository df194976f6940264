import { fuzzInProcess } from '../fuzz/in-process';

describe('whatever is sent', () => {
  fuzzInProcess(2_000);
});
