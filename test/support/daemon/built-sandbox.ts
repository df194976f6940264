import { outside } from './outside';

/** The sandbox as it is built into `dist`, with the types of its sources. */
export const { startSandbox }: typeof import('../../../src/sandbox/start-sandbox') = outside(
  '../../../dist/sandbox/start-sandbox.js',
);
