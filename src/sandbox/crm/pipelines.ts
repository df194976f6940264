interface Status {
  id: number;
  name: string;
}

/** A pipeline with its open statuses in order. After the last one a deal is won or lost. */
export interface Pipeline {
  id: number;
  name: string;
  openStatuses: readonly [Status, ...Status[]];
}

/** The account's pipelines. The document does not define statuses (2.5); ids and names are our own. */
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

/** The final statuses of every pipeline. */
export const CLOSED_STATUSES = { won: { id: 142, name: 'Won' }, lost: { id: 143, name: 'Lost' } } as const;

export function isOpenStatus(statusId: number): boolean {
  return statusId !== CLOSED_STATUSES.won.id && statusId !== CLOSED_STATUSES.lost.id;
}

/** All statuses of a pipeline in order; empty if there is no such pipeline. */
export function statusesOf(pipelineId: number): readonly Status[] {
  const pipeline = PIPELINES.find(({ id }) => id === pipelineId);
  return pipeline ? [...pipeline.openStatuses, CLOSED_STATUSES.won, CLOSED_STATUSES.lost] : [];
}

/** The status after this one; the one after the last open status is won. */
export function nextStatus(pipelineId: number, statusId: number): number {
  const statuses = statusesOf(pipelineId);
  const at = statuses.findIndex(({ id }) => id === statusId);
  return statuses[at + 1]?.id ?? CLOSED_STATUSES.won.id;
}
