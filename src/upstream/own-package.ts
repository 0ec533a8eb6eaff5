// A module tool imports `toolgate/errors`, but Node looks for packages above the tool's own folder
// only: a global install or an image would not be found from there.
import { createRequire, register } from 'node:module';

const SPECIFIER = 'toolgate/errors';

/** Runs in Node's thread for such hooks, so it is a text: what is found nowhere else is found here. */
const HOOK = `
let own;
export const initialize = (url) => { own = url; };
export const resolve = async (specifier, context, next) => {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!specifier.startsWith('toolgate/')) throw error;
    return next(specifier, { ...context, parentURL: own });
  }
};`;

let offered = false;

/**
 * Lets modules import this package from wherever they are. A copy that Node finds from their own
 * folder goes first; where there is one, nothing is done.
 */
export function offerOwnPackage(modulePath: string): void {
  if (offered || isFoundFrom(modulePath)) return;
  offered = true;
  register(`data:text/javascript,${encodeURIComponent(HOOK)}`, { data: import.meta.url });
}

function isFoundFrom(modulePath: string): boolean {
  try {
    createRequire(modulePath).resolve(SPECIFIER);
    return true;
  } catch {
    return false;
  }
}
