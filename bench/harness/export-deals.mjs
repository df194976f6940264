const PATH = '/api/v1/entities/export?kind=deal&format=csv&field=data.nonce';

/** @returns how many deals the export had: those numbered from 1, and those that were sent, each of them once */
export async function exportDeals(base, token, deals) {
  const response = await fetch(base + PATH, { headers: { authorization: `Bearer ${token}` } });
  const [, ...rows] = (await response.text()).trimEnd().split('\r\n');
  const names = new Set(rows.map((row) => row.slice(0, row.indexOf(','))));
  for (let id = 1; id <= deals; id += 1)
    if (!names.has(`deal:${id}`)) throw new Error(`The export lacks deal:${id}.`);
  if (names.size < rows.length) throw new Error(`The export has ${rows.length - names.size} deals twice.`);
  return rows.length;
}
