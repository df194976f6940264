import type { TransformFailure } from '../../contract/transform';

/** What the process of transformations is asked. */
export interface TransformRequest {
  expression: string;
  contentType: string;
  /** The payload as JSON text; null only checks that the expression can be compiled. */
  payload: string | null;
  /** `$previous` as JSON text; missing if it has no value. */
  previous?: string | undefined;
  event: TransformedEvent;
  target: { name: string };
}

/** `$event`: what an expression may read of an event beside its payload. */
interface TransformedEvent {
  id: string;
  seq: number;
  type: string;
  entity: string | null;
  /** ISO 8601. */
  received_at: string;
}

export type TransformOutcome =
  | {
      /** The text of the new body; empty if there was no payload. */
      body: string;
      /** CPU time. */
      tookMs: number;
    }
  | { failure: TransformFailure };

/** The process announces itself once; each further message answers one request. */
export type FromTransformProcess = 'ready' | TransformOutcome;
