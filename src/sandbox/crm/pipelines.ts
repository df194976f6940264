interface Status {
  id: number;
  name: string;
}

/** A pipeline and its open statuses in the order in which deals move through them; then they are won or lost. */
export interface Pipeline {
  id: number;
  name: string;
  openStatuses: readonly [Status, ...Status[]];
}

/** The sales floor's pipelines. What a status means is not shown (document, 2.5); these numbers and names are ours. */
export const PIPELINES: readonly [Pipeline, ...Pipeline[]] = [
  {
    id: 11,
    name: 'Sales',
    openStatuses: [
      { id: 1101, name: 'New' },
      { id: 1102, name: 'Qualified' },
      { id: 1103, name: 'Offer sent' },
      { id: 1104, name: 'Negotiation' },
    ],
  },
  {
    id: 12,
    name: 'Renewals',
    openStatuses: [
      { id: 1201, name: 'Due' },
      { id: 1202, name: 'In talks' },
      { id: 1203, name: 'Contract out' },
    ],
  },
];

/** The statuses in which a deal ends, in every pipeline. */
export const CLOSED_STATUSES = { won: { id: 142, name: 'Won' }, lost: { id: 143, name: 'Lost' } } as const;

/** True while a deal in this status can still move. */
export function isOpenStatus(statusId: number): boolean {
  return statusId !== CLOSED_STATUSES.won.id && statusId !== CLOSED_STATUSES.lost.id;
}

/** All statuses that a deal in this pipeline can have, in their order; none for a pipeline there is not. */
export function statusesOf(pipelineId: number): readonly Status[] {
  const pipeline = PIPELINES.find(({ id }) => id === pipelineId);
  return pipeline ? [...pipeline.openStatuses, CLOSED_STATUSES.won, CLOSED_STATUSES.lost] : [];
}

/** The status after this one; after the last open one the deal is won. */
export function nextStatus(pipelineId: number, statusId: number): number {
  const statuses = statusesOf(pipelineId);
  const at = statuses.findIndex(({ id }) => id === statusId);
  return statuses[at + 1]?.id ?? CLOSED_STATUSES.won.id;
}
