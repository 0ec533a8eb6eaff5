// How fast a bulkhead's places come free, as far as measured service time tells: what its advice to
// refused callers is made of.
import type { BulkheadPolicy } from '../call.js';
import type { ServiceTime } from './service-time.js';
import type { Supply } from './turns.js';

const MIN_GRACE_MS = 50;
const MAX_GRACE_MS = 1000;
/** Places beyond the queue for callers whose turn it is, as a share of the slots. */
const EXTRA_SHARE = 1 / 2;
/** Turns stand a little further apart than calls end on average: calls do not end evenly. What is
 * free meanwhile goes to newcomers, and a queue keeps the slots busy. */
const WITH_QUEUE = 1.1;
const WITHOUT_QUEUE = 1.03;

export class PlaceSupply {
  /** Slots come free a little earlier or later than promised: so many due callers may wait for it. */
  readonly extraPlaces: number;
  readonly #policy: BulkheadPolicy;
  readonly #service: ServiceTime;
  readonly #slack: number;

  constructor(policy: BulkheadPolicy, service: ServiceTime) {
    this.extraPlaces = Math.ceil(policy.maxConcurrent * EXTRA_SHARE);
    this.#policy = policy;
    this.#service = service;
    this.#slack = policy.maxQueue > 0 ? WITH_QUEUE : WITHOUT_QUEUE;
  }

  /** Places come free as calls end: `maxConcurrent` in a service time, but not evenly. */
  at(taken: number): Supply {
    const { maxConcurrent, maxQueue } = this.#policy;
    return {
      free: maxConcurrent + maxQueue - taken,
      perMs: maxConcurrent / (this.#service.ms * this.#slack),
      // The queue keeps the slots busy meanwhile, so callers may come that much later.
      lag: Math.min(maxConcurrent, maxQueue),
    };
  }

  /** Late callers find their place kept, but at most half of the queue is kept that way. */
  get graceMs(): number {
    const { maxConcurrent, maxQueue } = this.#policy;
    const halfQueueMs = (maxQueue / 2) * (this.#service.ms / maxConcurrent);
    return Math.min(MAX_GRACE_MS, Math.max(MIN_GRACE_MS, halfQueueMs));
  }
}
