import type { TargetRecord } from '../../targets/target-record';

/** The settings of a target that its connections depend on. */
export type ConnectionSettings = Pick<TargetRecord, 'tls' | 'policy'> & { url: string };
