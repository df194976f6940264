/** Which targets this daemon delivers to. */
export abstract class TargetOwnership {
  /**
   * Whether this daemon owns the target, and no other one can have become its owner. Check it right before an attempt.
   */
  abstract delivers(target: number): boolean;
}
