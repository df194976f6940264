// Reads lists and exports of deals one after the other, until it is asked how many exports it has read. Arguments: base
// address, token, deals. What it reads may be late, but the load beside it must not be: it has the lowest priority.
import { constants, setPriority } from 'node:os';
import { exportDeals } from '../harness/export-deals.mjs';

const [base, token, deals] = process.argv.slice(2);
setPriority(constants.priority.PRIORITY_LOW);
const over = new AbortController();
process.on('message', () => over.abort());
console.log('reading');

let exports = 0;
while (!over.signal.aborted) {
  const headers = { authorization: `Bearer ${token}` };
  await (await fetch(`${base}/api/v1/entities?kind=deal`, { headers })).text();
  await exportDeals(base, token, Number(deals));
  exports += 1;
}
process.send(exports, () => process.exit());
