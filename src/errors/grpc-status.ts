// gRPC clients throw their status as a number with `details` and `metadata`. What it means is what the
// HTTP status means to which google.rpc.Code maps it.
import { readProperty } from './thrown-facts.js';

/** google/rpc/code.proto, in its order from 1. */
// prettier-ignore
const CODES: readonly (readonly [name: string, status: number])[] = [
  ['CANCELLED', 499],          ['UNKNOWN', 500],       ['INVALID_ARGUMENT', 400], ['DEADLINE_EXCEEDED', 504],
  ['NOT_FOUND', 404],          ['ALREADY_EXISTS', 409], ['PERMISSION_DENIED', 403], ['RESOURCE_EXHAUSTED', 429],
  ['FAILED_PRECONDITION', 400], ['ABORTED', 409],      ['OUT_OF_RANGE', 400],     ['UNIMPLEMENTED', 501],
  ['INTERNAL', 500],           ['UNAVAILABLE', 503],   ['DATA_LOSS', 500],        ['UNAUTHENTICATED', 401],
];

/** A gRPC status and the HTTP status that stands for it. */
export interface GrpcStatus {
  readonly name: string;
  readonly status: number;
}

/** The gRPC status that an error carries; undefined where it is none of a gRPC client's. */
export function grpcStatusOf(error: unknown): GrpcStatus | undefined {
  const code = readProperty(error, 'code');
  if (typeof code !== 'number' || typeof readProperty(error, 'details') !== 'string')
    return undefined;
  if (typeof readProperty(error, 'metadata') !== 'object') return undefined;
  const [name, status] = CODES[code - 1] ?? [];
  return name === undefined || status === undefined ? undefined : { name, status };
}
