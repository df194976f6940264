import { InstanceId, type FormerInstanceId } from '../../ground/ids';

/** A restore from a backup: the id that the instance had before, and when both happened (ms since 1970). */
export interface Restore extends FormerInstanceId {
  backup_at: number;
  restored_at: number;
}

/** What the row of the table `instance` says about its id; `restores` is JSON. */
export interface InstanceRecord {
  tag: number;
  restores: string;
}

export const SELECT_INSTANCE = 'SELECT tag, restores FROM instance';

/** Oldest first. */
export const parseRestores = ({ restores }: Pick<InstanceRecord, 'restores'>): Restore[] =>
  JSON.parse(restores) as Restore[];

export const parseInstanceId = (record: InstanceRecord): InstanceId =>
  new InstanceId(record.tag, parseRestores(record));
