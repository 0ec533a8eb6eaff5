// The gateway's own abort reason, as a tool sees it in `signal.reason`.
import type { AbortCause } from '../../src/call.js';

export const AbortCauseExample: AbortCause = { kind: 'cancelled', reason: 'client_left' };
