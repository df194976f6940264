type AlertData = Record<string, unknown>;

/** How many deliveries are listed by id; further ones are only counted. */
const MAX_LISTED = 100;

/** @param ids of the deliveries that the alert is about; undefined if it is about none */
export const withDeliveries = (data: AlertData, ids: readonly string[] | undefined): AlertData =>
  ids === undefined ? data : { ...data, deliveries: ids.slice(0, MAX_LISTED), deliveries_total: ids.length };

/** @returns `later` with the deliveries of both */
export function mergeDeliveries(earlier: AlertData, later: AlertData): AlertData {
  const [first, second] = [deliveriesOf(earlier), deliveriesOf(later)];
  if (first === null || second === null) return later;
  return {
    ...later,
    deliveries: [...first.ids, ...second.ids].slice(0, MAX_LISTED),
    deliveries_total: first.total + second.total,
  };
}

export const withoutDeliveries = (data: AlertData): AlertData =>
  deliveriesOf(data) === null ? data : withDeliveries(data, []);

function deliveriesOf({
  deliveries,
  deliveries_total: total,
}: AlertData): { ids: unknown[]; total: number } | null {
  return Array.isArray(deliveries) && typeof total === 'number' ? { ids: deliveries, total } : null;
}
