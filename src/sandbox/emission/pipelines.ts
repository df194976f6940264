/** A pipeline and its open statuses in the order in which deals move through them; then they are won or lost. */
export interface Pipeline {
  id: number;
  openStatuses: readonly [number, ...number[]];
}

/** The sales floor's pipelines. What a status means is not shown (document, 2.5); these numbers are ours. */
export const PIPELINES: readonly [Pipeline, ...Pipeline[]] = [
  { id: 11, openStatuses: [1101, 1102, 1103, 1104] },
  { id: 12, openStatuses: [1201, 1202, 1203] },
];

/** The statuses in which a deal ends, in every pipeline. */
export const CLOSED_STATUSES = { won: 142, lost: 143 } as const;

/** True while a deal in this status can still move. */
export function isOpenStatus(statusId: number): boolean {
  return statusId !== CLOSED_STATUSES.won && statusId !== CLOSED_STATUSES.lost;
}

/** The status after this one; after the last open one the deal is won. */
export function nextStatus(pipelineId: number, statusId: number): number {
  const pipeline = PIPELINES.find(({ id }) => id === pipelineId);
  const statuses: readonly number[] = pipeline?.openStatuses ?? [];
  return statuses[statuses.indexOf(statusId) + 1] ?? CLOSED_STATUSES.won;
}
