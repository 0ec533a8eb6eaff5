// What the bench orders from the load generator and what it gets back.

export interface LoadRequest {
  /** Scheme, host and port of the server under load. */
  readonly origin: string;
  /** The request body, sent as it is. */
  readonly body: string;
  /** Requests in flight at the same time (closed loop), connections at most (open loop). */
  readonly inFlight: number;
  readonly seconds: number;
  /** The requests of a closed loop begin spread over this time; 0: all at once. Default 0. */
  readonly rampMs?: number;
  /** Present: open loop at this many requests a second. */
  readonly ratePerSecond?: number;
}

export interface LoadResult {
  readonly requests: number;
  /** Requests that were not answered with 200. */
  readonly failed: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Results of a sample of the answers, by status or error code. */
  readonly statuses: Readonly<Record<string, number>>;
}
