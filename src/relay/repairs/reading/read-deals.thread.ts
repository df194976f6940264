import { parentPort, workerData } from 'node:worker_threads';
import { readDeals } from './read-deals';

/** Reads one page, whose JSON may be large, and ends. */
parentPort!.postMessage(readDeals(workerData as Parameters<typeof readDeals>[0]));
