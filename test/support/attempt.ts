// An attempt for tests of upstreams, without the deadline layer: its outcome as a promise, whichever
// way the upstream tells it.
import { Attempt, type ResolvedCall, type UpstreamInvoke } from '../../src/call.js';
import type { Outcome } from '../../src/errors/outcome.js';

export class TestAttempt extends Attempt {
  settle: (outcome: Outcome) => void = () => undefined;
  fail: (error: unknown) => void = () => undefined;

  /** Rejects where the upstream reports a fault of ours. */
  run(upstream: UpstreamInvoke, call: ResolvedCall): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
      upstream(call, this)?.then(resolve, reject);
    });
  }
}
